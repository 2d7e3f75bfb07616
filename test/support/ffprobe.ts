import { accessSync, chmodSync, constants } from 'node:fs';
import { path } from '@ffprobe-installer/ffprobe';

/** The path of an ffprobe that comes with the development dependencies, so that tests need none on the machine. */
export const FFPROBE = executable(path);

/** npm packages keep a file's mode, and some of this package's platforms were published without the executable bit. */
function executable(file: string): string {
	try {
		accessSync(file, constants.X_OK);
	} catch {
		chmodSync(file, 0o755);
	}
	return file;
}

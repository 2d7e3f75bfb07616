/**
 * A picture from the workflow's own binary data that stands in a request body where its URL will be once it has
 * been uploaded.
 */
export class PendingUpload {
	constructor(
		/** Index of the input item that holds the file. */
		readonly itemIndex: number,
		/** Name of the item's binary property. */
		readonly property: string,
		readonly fileName: string,
		readonly mimeType: string,
		readonly bytes: number,
		/** The same for the same content, so that a second run recognises it. */
		readonly fingerprint: string,
	) {}

	/** What stands for the picture when a body is compared with another. */
	toJSON(): string {
		return `binary:${this.fingerprint}`;
	}
}

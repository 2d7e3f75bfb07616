import { isPrivateHost } from '../../../../nodes/shared/api/address';
import { parseWebUrl } from '../../../../nodes/shared/util/schema';
import { words } from '../../../support/words';

const isPrivate = (host: string) => isPrivateHost(new URL(`http://${host}/x`));

/** Private, local and reserved, in every notation. */
const UNREACHABLE = words(`
	[::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [fec0::1] 198.18.0.1 198.19.255.255
	224.0.0.1 239.1.2.3 255.255.255.255 127.0.0.1 10.0.0.5 172.16.0.1 172.31.255.255 192.168.1.1
	169.254.169.254 100.64.0.1 100.127.0.1 0.0.0.0 2130706433 0x7f.1 017700000001 127.1 [::1]
	[::] [::ffff:10.0.0.1] [fc00::1] [fdab::1] [fe80::1] [febf::1] [ff02::1]
	[64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::1] localhost n8n.local redis db.internal router.lan
	nas.home.arpa LOCALHOST. home.arpa db.internal. localhost.localdomain n8n.localdomain
	localhost.. 127.0.0.1. 127.0.0.1..
`);

/** Ranges of RFC 6890 and the registries that follow it, and the address at which Azure serves each of its machines. */
const RESERVED = words(`
	192.0.0.8 192.0.2.1 198.51.100.1 203.0.113.9 192.88.99.1 192.31.196.1 192.52.193.1
	192.175.48.1 240.0.0.1 168.63.129.16 [64:ff9b:1::7f00:1] [64:ff9b:1::808:808]
	[::ffff:0:7f00:1] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:db8::1] [2001:2::1]
	[2001:20::1] [100::1] [3fff::1] [5f00::1] [::ffff:198.51.100.1] [64:ff9b::c633:6401]
	[2002:c633:6401::] [64:1::a00:5] [::1:a00:5] [4000::1]
`);

const PUBLIC = words(`
	example.com 8.8.8.8 172.15.0.1 172.32.0.1 100.63.0.1 100.128.0.1 198.17.0.1 198.20.0.1
	223.255.255.255 192.169.0.1 [2606:4700::1111] [64:ff9b::808:808] [2002:808:808::]
	[::ffff:8.8.8.8] mylocalhost.com 11.0.0.1 169.253.0.1 126.0.0.1 8.100.0.1 8.254.0.1 8.20.0.1
	8.168.0.1 8.18.0.1 8.19.0.1 10.0.0.5.example.com db.internal.example.com
	[2606:4700:1:2:3:4:5:6] [2606:ff9b::a00:5] [2a00:1450:4001::1] [2001:4860:4860::8888]
`);

test.each([...UNREACHABLE, ...RESERVED])('%s cannot be reached from the internet', (host) => {
	expect(isPrivate(host)).toBe(true);
});

test.each(PUBLIC)('%s can', (host) => {
	expect(isPrivate(host)).toBe(false);
});

test('addresses that are not http', () => {
	const others = ['ftp://example.com', 'example.com', '', 'javascript:1', 'file:///x'];
	expect(others.map(parseWebUrl)).toEqual(Array(5).fill(undefined));
});

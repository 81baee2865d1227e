// What `js/pack.mjs` packed when the package was built: the CRC-32 of the bytes, little endian, and the bytes, by Zstandard.
import { decompress } from 'fzstd';

/** The bytes, or an error where the checksum does not hold. */
export function unpack(packed: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(decompress(packed));
  const bytes = whole.subarray(4);
  if (crc32(bytes) !== new DataView(whole.buffer).getUint32(0, true)) throw new Error('its checksum does not hold');
  return bytes;
}

/** The bytes of a text in base64. */
export function fromBase64(text: string): Uint8Array {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

/** The checksum of zip and PNG; Zstandard's own is not looked at by who unpacks here. */
function crc32(bytes: Uint8Array): number {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let sum = 0xffffffff;
  // Five million bytes, and the reader waits: a plain loop takes a sixth of the time of an iterator.
  for (let at = 0; at < bytes.length; at += 1) sum = table[(sum ^ bytes[at]!) & 0xff]! ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

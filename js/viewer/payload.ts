// Bytes that lie in the page as text. The page is written in windows-1252, in which every byte is one letter, so
// that nothing grows by a third as it would in base64. Five bytes cannot stand in a page as they are: NUL, LF and CR (a
// page makes one of the two), `<` and the `=` that announces them; those are written as `=` and the byte plus 64.

/** What windows-1252 makes of the bytes 0x80 to 0x9f, where it is not the letter of the same number. */
const LETTERS = '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

export function decode(text: string): Uint8Array {
  const back = new Map([...LETTERS].map((letter, at) => [letter.charCodeAt(0), 0x80 + at]));
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    let code = text.charCodeAt(at);
    if (code === 0x3d) {
      at += 1;
      code = text.charCodeAt(at) - 64;
    } else if (code > 0xff || (code >= 0x80 && code < 0xa0)) {
      // What is no letter of windows-1252 was a NUL, which is never written as it is: it must not pass for another byte.
      code = back.get(code) ?? 0;
    }
    bytes[length] = code;
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** The bytes of a block of the page. */
export function payload(id: string): Uint8Array {
  return decode(document.getElementById(id)?.textContent ?? '');
}

/** The files that were put into the page. */
export function filesOfPage(): File[] {
  return [...document.querySelectorAll<HTMLElement>('script[data-file]')].map((element) =>
    new File([decode(element.textContent ?? '') as BlobPart], (element.dataset['file'] ?? 'file').replace(/^.*\//, '')));
}

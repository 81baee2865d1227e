// Texts of others: cut between characters, and shown without what a terminal would obey.

/** The first `most` characters of `text`, with an ellipsis where it was cut. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  let [at, count] = [0, 0];
  for (const letter of text) {
    if (count === most) return `${text.slice(0, at)}…`;
    at += letter.length;
    count += 1;
  }
  return text;
}

/** The last `most` characters of `text`. */
export function lastOf(text: string, most: number): string {
  return text.length <= most ? text : [...text].slice(-most).join('');
}

// A control sequence up to its final letter; a string (a title, a link) up to its terminator, though
// never past its line; one letter of a character set; any other letter.
const SEQUENCES = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[ -?]*[@-~]?',
    '\\u001b[\\]PX^_][^\\n\\u0007\\u009c\\u001b]*(?:\\u0007|\\u009c|\\u001b\\\\?)?',
    '\\u001b[ -\\/][^]?',
    '\\u001b[^\\u0000-\\u001f\\u007f-\\u009f]?',
  ].join('|'),
  'gu',
);
// Control characters but tab and line end, and marks that reverse the direction of text.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** `text` as it may be shown on a terminal: escape sequences and control characters taken out. */
export function printable(text: string): string {
  return text.replace(SEQUENCES, '').replace(UNSEEN, '');
}

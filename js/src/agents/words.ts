// A command line as words, split as a POSIX shell would split it; nothing of it is ever expanded.

/** The words; nothing if a quote is not closed. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let [word, begun] = ['', false];
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? '';
    if (letter === "'" || letter === '"') {
      const end = closing(line, at);
      if (end === undefined) return undefined;
      const inner = line.slice(at + 1, end);
      word += letter === '"' ? inner.replace(/\\(["\\$`])|\\\n/g, '$1') : inner;
      [at, begun] = [end, true];
    } else if (letter === '\\') {
      if (at + 1 >= line.length) return undefined;
      at += 1;
      if (line[at] !== '\n') word += line[at] ?? '';
      begun = true;
    } else if (letter === '#' && !begun) {
      const end = line.indexOf('\n', at);
      at = end < 0 ? line.length : end;
    } else if (/[ \t\n]/.test(letter)) {
      if (begun) words.push(word);
      [word, begun] = ['', false];
    } else {
      [word, begun] = [word + letter, true];
    }
  }
  return begun ? [...words, word] : words;
}

function closing(line: string, at: number): number | undefined {
  const quote = line[at];
  for (let place = at + 1; place < line.length; place += 1) {
    if (line[place] === quote) return place;
    if (quote === '"' && line[place] === '\\') place += 1;
  }
  return undefined;
}

// What the scripted roles of all protocols say alike.

/** The report of a role: the two header lines, a few words, the fenced block. */
export function report(prompt, remaining, block) {
  const anchor = prompt.match(/^MISSION ANCHOR: (.*)$/m)?.[1] ?? '';
  const head = `MISSION ANCHOR: ${anchor}\nRemaining contract IDs: ${remaining}`;
  return { say: `${head}\n\nSeen with the repository's own tools.\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`` };
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that writes files, runs the check, commits what changed, and prints the head. */
export function commitFiles(files, message, check) {
  const writes = Object.entries(files).map(([path, text]) =>
    `mkdir -p "$(dirname ${quoted(path)})" && printf '%s' ${quoted(text)} > ${quoted(path)}`);
  const commit = `git add -A && { git diff --cached --quiet || git commit -q -m ${quoted(message)}; }`;
  return [...writes, check, commit, 'git rev-parse HEAD'].join(' && ');
}

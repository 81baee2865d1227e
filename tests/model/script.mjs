// What a scripted model says. A script is a function `(heard) => answer`, or a list of rules:
//
//   [{ "when": "completion-implementer", "do": [{ "bash": "make && git rev-parse HEAD" }], "say": "done: ${head}" },
//    { "when": ["player", "TASK-7"], "unless": "turn 1 ", "do": [{ "write": { "path": "a", "text": "b" } }], "say": "…" },
//    { "say": "nothing fits" }]
//
// The first rule fits whose words all stand in the prompt. Its steps are tool calls, made one after the
// other (each is one turn of the agent); then it says its text. In every text, `${head}` is the last
// full commit id that a tool or else the prompt said, `${result}` the last thing a tool said, and
// `${prompt:REGEX}` the first group of the expression in the prompt.
//
// An answer is `{bash}`, `{write: {path, text}}`, `{calls: [{name, args}]}`, `{say}`, `{hang: true}`; `cut: true`
// ends a text as if the model had run out of room.

const SHELLS = /^(bash|Bash|shell|exec_command|shell_command|run_shell_command|execute_command)$/;

/** The call that runs a command, in the words of the agent that offers these tools. */
function shellCall(command, tools) {
  const name = tools.find((tool) => SHELLS.test(tool)) ?? (tools.includes('Read') ? 'Bash' : 'bash');
  if (name === 'shell') return { name, args: { command: ['bash', '-lc', command] } };
  if (name === 'exec_command') return { name, args: { cmd: command, yield_time_ms: 30_000 } };
  return { name, args: { command, description: 'run a command' } };
}

/** The call that writes a file. It is made whether or not the agent offers it: models do that, too. */
function writeCall({ path, text }, tools) {
  if (tools.some((tool) => /^(exec_command|shell|apply_patch)$/.test(tool))) {
    return shellCall(`printf '%s' '${text.replaceAll("'", `'\\''`)}' > '${path}'`, tools);
  }
  const name = tools.find((tool) => /^write$/i.test(tool)) ?? (tools.includes('Read') ? 'Write' : 'write');
  return { name, args: { path, filePath: path, file_path: path, content: text } };
}

function fits(words, prompt) {
  return [words ?? []].flat().every((word) => prompt.includes(word));
}

function fill(text, { prompt, results }) {
  const ids = (where) => where.match(/\b[0-9a-f]{40}\b/g) ?? [];
  const head = ids(results.join('\n')).at(-1) ?? ids(prompt).at(-1) ?? '0'.repeat(40);
  return text
    .replaceAll('${head}', head)
    .replaceAll('${result}', results.at(-1) ?? '')
    .replace(/\$\{prompt:((?:[^{}]|\{[^}]*\})+)\}/g, (_, expression) => prompt.match(new RegExp(expression, 'm'))?.[1] ?? '');
}

function ruled(rules) {
  return (heard) => {
    const rule = rules.find((rule) => fits(rule.when, heard.prompt)
      && !(rule.unless && fits(rule.unless, heard.prompt)));
    if (!rule) return { say: 'No rule fits this prompt.' };
    return (rule.do ?? [])[heard.results.length] ?? { say: rule.say ?? '', cut: rule.cut };
  };
}

/** A script of any form as a function. */
export function scriptOf(script) {
  if (typeof script === 'function') return script;
  if (Array.isArray(script)) return ruled(script);
  throw new Error('a script is a function or a list of rules');
}

/** What is said to a conversation: `{text, cut}`, `{calls}` or `{hang}`. */
export async function answerOf(decide, heard) {
  // Agents also ask for titles and summaries, without tools: no turn of the role.
  if (heard.tools.length === 0) return { text: 'A scripted run' };
  const answer = await decide(heard);
  if (answer.hang) return answer;
  if (answer.bash !== undefined) return { calls: [shellCall(fill(answer.bash, heard), heard.tools)] };
  if (answer.write) {
    const { path, text } = answer.write;
    return { calls: [writeCall({ path: fill(path, heard), text: fill(text, heard) }, heard.tools)] };
  }
  if (answer.calls) return { calls: answer.calls };
  return { text: fill(answer.say ?? '', heard), cut: answer.cut };
}

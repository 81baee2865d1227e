// The scripted model as an agent that hosts a role: it calls `next`, reports the run it is given, and
// then claims that all is done and stops, every single time. Only what its stop hook says makes it go on.
import { dialectOf } from '../model/dialects.mjs';

// codex keeps the tools of a server in a namespace of its own, and wants calls to say which.
const responses = dialectOf('/responses');
const plain = responses.items;
responses.items = function items(answer, id) {
  return plain.call(this, answer, id).map((item) => {
    const split = /^(mcp__endstate)__(\w+)$/.exec(item.name ?? '');
    return split ? { ...item, namespace: split[1], name: split[2] } : item;
  });
};

const HELD = /The mission is not done:/g;

const last = (list) => list[list.length - 1];

/**
 * A script for tests/model/server.mjs. `report` makes the report of a run from what `next` said; `prefix` is what a
 * host puts before the names of tools that it does not list at first.
 */
export const stubborn = ({ prefix = 'mcp__endstate__', report = () => 'I wrote a line.' } = {}) => ({ prompt, results, tools }) => {
  // Whoever was not asked to work on a mission is another conversation of the host's own.
  if (!prompt.includes('Work on the mission')) return { say: 'Nothing to do.' };
  const tool = (name, args) => {
    const known = tools.find((one) => one.endsWith(`endstate__${name}`) || one === `endstate_${name}`);
    return { calls: [{ name: known ?? `${prefix}${name}`, args }] };
  };
  const taken = results.filter((text) => /"taken":\s*true|report was taken/.test(text)).length;
  const held = (prompt.match(HELD) ?? []).length;
  const said = last(results) ?? '';
  const run = /"run":\s*"(\d+\.\d+)"|work of run (\d+\.\d+)/.exec(said);
  if (run && !/report was taken|"taken"/.test(said)) {
    return tool('report', { run: run[1] ?? run[2], report: report(said) });
  }
  if (results.length > 0 && held < taken) return { say: 'All done! Everything is complete.' };
  if (/The mission is done/.test(said)) return { say: 'The engine says done.' };
  return tool('next', {});
};

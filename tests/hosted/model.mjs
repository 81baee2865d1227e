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

/**
 * The same agent with an implementer's work: makes a file, commits it, and claims the one criterion with the
 * command it ran. First of all it claims without having done anything.
 */
export const implementer = ({ prefix }) => {
  const idle = stubborn({ prefix });
  const work = "printf 'hello\\n' > greeting.txt && git add greeting.txt && git commit -q -m Greet && make test && git rev-parse HEAD";
  return (heard) => {
    const { results, tools } = heard;
    const runs = results.flatMap((text) => [...text.matchAll(/work of run (\d+\.\d+)/g)].map((hit) => hit[1]));
    const said = last(results) ?? '';
    const given = /work of run \d+\.\d+/.test(said);
    const made = results.some((text) => /^[0-9a-f]{40}\s*$/m.test(text) && !text.includes('work of run'));
    const head = /\b([0-9a-f]{40})\b/.exec(made ? results.find((text) => /^[0-9a-f]{40}\s*$/m.test(text)) : said)?.[1];
    if (given && runs.length > 1 && !made) {
      return { calls: [{ name: tools.includes('Bash') ? 'Bash' : 'exec_command', args: { command: work, description: 'do the work' } }] };
    }
    if (given || (made && /^[0-9a-f]{40}\s*$/m.test(said))) {
      const evidence = [{ kind: 'command', command: 'make test', exit_status: 0 }];
      const claims = [{ criterion: 'AC-001', status: 'complete', evidence }];
      const report = { slice_id: 'S1', outcome: 'implemented', commit_sha: head, claims };
      return { calls: [{ name: `${prefix}report`, args: { run: last(runs), report } }] };
    }
    return idle(heard);
  };
};

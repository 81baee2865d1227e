// A custom completion handler in JavaScript: the wasm engine asks, a function of this file answers.
//
// The host here is as small as one can be: it performs writes in a map, plays the agent itself, and
// calls the handler for every `consult` effect. `src/native/facilitator.rs` is the same handler in Rust.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

const HANDLER = '.agent/facilitator/completion/custom-handler.ts';
const digest = (text) => createHash('sha256').update(text).digest('hex');

/** Counts decisions to those before; a function of what it is given. */
function facilitator({ detectedActions, args, memory }) {
  const target = Number(args.targetDecisions ?? 3);
  const made = Number(memory ?? 0) + detectedActions.filter((action) => action.type === 'decision').length;
  return {
    complete: made >= target,
    description: `${made} of ${target} decisions were made`,
    prompt: `The session on ${args.topic} goes on: ${made} of ${target} decisions are made.`,
    memory: String(made),
  };
}

/** Steps the engine until nothing is left to do; answers with everything that was prompted. */
function drive(engine, handlers, agent) {
  const [files, prompts] = [new Map(), []];
  let at = 1_800_000_000_000;
  const tell = (type, data) => engine.apply({ at: (at += 1_000), fact: { type, data } });
  const written = (effect, path, text) => {
    files.set(path, text);
    const outcome = { type: 'file', digest: digest(text), length: Buffer.byteLength(text) };
    tell('effect_performed', { effect, outcome });
  };
  const perform = {
    write_file: (effect, { path }) => written(effect, path, engine.render(path)),
    append_history: (effect, { path, text }) => written(effect, path, (files.get(path) ?? '') + text),
    notify: (effect) => tell('effect_performed', { effect, outcome: { type: 'nothing' } }),
    spawn_role: (effect, { prompt, visit }) => {
      prompts.push(prompt);
      tell('run_started', { effect, session: null });
      tell('run_ended', { effect, outcome: 'success', report: agent(visit), problem: null });
    },
    consult: (effect, { handler, input }) => {
      const answer = JSON.stringify(handlers[handler](JSON.parse(input)));
      tell('consulted', { effect, answer, problem: null });
    },
  };
  tell('user_commanded', { id: null, command: { command: 'start' } });
  for (let turns = 0; engine.pending().length > 0; turns += 1) {
    assert.ok(turns < 100, 'the mission never ends');
    const { id, order } = engine.pending()[0].effect;
    perform[order.type](id, order.data);
  }
  return { files, prompts };
}

export default function facilitatorSuite(pkg) {
  const { Engine } = pkg.imported;
  const completionConfig = { handlerPath: 'completion/custom-handler.ts' };
  const definition = { name: 'facilitator', behavior: { completionType: 'custom', completionConfig } };
  const settings = { mission: 'Agree on the release.', definition, args: { topic: 'scope', targetDecisions: '3' } };
  const config = { mission: { protocol: 'iteration', settings } };
  const decision = (number) => `We talked.\n\n\`\`\`action\n{"type": "decision", "text": "number ${number}"}\n\`\`\`\n`;

  test('a custom handler in JavaScript carries a session to its end', () => {
    const engine = Engine.start(config, 1_800_000_000_000);
    const { files, prompts } = drive(engine, { [HANDLER]: facilitator }, decision);
    assert.equal(engine.continuation(), 'done');
    const view = engine.view();
    assert.equal(view.end.closed_by, 'observed');
    assert.match(view.reason, /3 of 3 decisions were made/);
    assert.equal(prompts.length, 3);
    assert.match(prompts[2], /The session on scope goes on: 2 of 3 decisions are made\./);
    assert.equal(files.get('.agent/iteration/summaries.jsonl').trim().split('\n').length, 3);
    assert.equal(files.get('.agent/iteration/.gitignore'), '*\n');
  });

  test('a custom handler in JavaScript that answers nothing of use is asked about', () => {
    const engine = Engine.start(config, 1_800_000_000_000);
    let asked = 0;
    const useless = () => ((asked += 1), { finished: true });
    assert.throws(() => drive(engine, { [HANDLER]: useless }, decision), /ask_user|perform/);
    assert.equal(asked, 3);
    assert.equal(engine.continuation(), 'await_user_input');
    assert.equal(engine.view().problem.code, 'unknown_field');
  });

  test('a definition that says too little is refused with its field', () => {
    const bare = structuredClone(config);
    bare.mission.settings.definition.behavior.completionConfig = {};
    const at = 'mission.settings.definition.behavior.completionConfig.handlerPath';
    assert.throws(() => Engine.start(bare, 1), (error) => error.code === 'missing_field' && error.at === at);
  });
}

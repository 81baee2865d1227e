// The extension of pi: `/endstate MISSION` drives a mission in the project pi was started in. See docs/pi.md.
//
// It is one of two things. In a session of a person it is the driver: a command, a widget, questions, and a guard
// over the tools of the session (desk.ts). In the process of a role, which a driver has started, it is the tool
// by which the role reports (role.ts), and nothing else: a role cannot drive.

import { printable } from 'endstate-core';
import { archivedWords, repositoryRoot } from 'endstate-node';
import * as fs from 'node:fs';
import type { Context, Pi } from './api.js';
import { Desk, isCode } from './desk.js';
import { refusal } from './guard.js';
import { roleMode } from './role.js';
import { HELP, howToBegin, meant, WORDS } from './spoken.js';
import { because, line, plan, told } from './widget.js';

// One for all sessions of this process, also where pi loads this file anew for each.
const SHARED = Symbol.for('endstate.pi');
const shared = globalThis as { [SHARED]?: { desk?: Desk; role?: true } };

/** What pi calls. */
export default async function endstate(pi: Pi): Promise<void> {
  const here = (shared[SHARED] ??= {});
  const { ENDSTATE_RUN: run, ENDSTATE_ROOT: root } = process.env;
  if (run && root) {
    // Loaded by `--extension` and as an installed package, too.
    if (here.role !== true) {
      here.role = true;
      await roleMode(pi, root, run);
    }
    return;
  }
  driverMode(pi, (here.desk ??= new Desk()));
}

function driverMode(pi: Pi, desk: Desk): void {
  const seen = (context: Context): void => {
    desk.face.show(context);
    if (context.model !== undefined) desk.model = { ...modelOf(context.model), thinking: pi.getThinkingLevel() };
  };
  const redraw = async (_: object, context: Context): Promise<void> => {
    seen(context);
    await desk.show(repositoryRoot(context.cwd));
  };
  // After a start, a compaction and every turn what was shown is drawn anew, from the journal.
  pi.on('session_start', async (event, context) => {
    await redraw(event, context);
    await offer(desk, repositoryRoot(context.cwd));
  });
  for (const event of ['session_compact', 'agent_end'] as const) pi.on(event, redraw);
  for (const event of ['agent_start', 'turn_start', 'turn_end'] as const) pi.on(event, (_, context) => seen(context));
  pi.on('model_select', ({ model }, context) => {
    seen(context);
    desk.model = { ...modelOf(model), thinking: pi.getThinkingLevel() };
  });
  pi.on('thinking_level_select', ({ level }) => {
    if (desk.model !== undefined) desk.model = { ...desk.model, thinking: level };
  });
  pi.on('session_shutdown', async ({ reason = 'quit' }) => {
    desk.face.leave();
    // Another session of this process goes on showing the mission.
    if (reason === 'quit') await desk.close();
  });
  pi.on('tool_call', (call, context) => {
    seen(context);
    const reason = refusal(call, desk.live(repositoryRoot(context.cwd)));
    return reason === undefined ? undefined : { block: true, reason };
  });
  pi.on('before_agent_start', async ({ systemPrompt }, context) => {
    seen(context);
    const known = await standing(desk, repositoryRoot(context.cwd));
    return known === undefined ? undefined : { systemPrompt: `${systemPrompt}\n\n${known}` };
  });
  pi.registerCommand('endstate', {
    description: 'Drive a mission to its verified end: MISSION, or status, why, answer, pause, resume, stop, view, archive',
    getArgumentCompletions: (prefix) => WORDS.filter((word) => word.startsWith(prefix)).map((word) => ({ value: word, label: word })),
    handler: async (args, context) => {
      seen(context);
      const { hasUI } = context;
      const say = sayer(desk, hasUI);
      try {
        await command(desk, repositoryRoot(context.cwd), args.trim(), { say, agrees: asker(context) });
      } catch (error) {
        say(`endstate: ${error instanceof Error ? error.message : String(error)}`, 'error');
        if (!hasUI) process.exitCode = 1;
      }
      // Nobody will look at it later: stay until it rests.
      if (!hasUI) await waited(desk, repositoryRoot(context.cwd), say);
    },
  });
}

const modelOf = ({ provider, id }: { provider: string; id: string }): { provider: string; id: string } => ({ provider, id });

type Say = (text: string, kind: 'info' | 'warning' | 'error') => void;

/** Whether the person agrees; nothing where nobody can be asked. */
type Agrees = (title: string, text: string) => Promise<boolean | undefined>;

interface Person {
  say: Say;
  agrees: Agrees;
}

function asker({ hasUI, ui }: Context): Agrees {
  return async (title, text) => (hasUI ? ui.confirm(printable(title), printable(text)) : undefined);
}

/** Does what the words behind `/endstate` say. */
async function command(desk: Desk, root: string, args: string, { say, agrees }: Person): Promise<void> {
  const [word = '', ...rest] = args.split(/\s+/);
  const alone = rest.length === 0;
  switch (word) {
    case '':
      if (desk.drives(root)) return say(told(await desk.glance(root), true), 'info');
      return desk.goOn(root, false).catch((error: unknown) => {
        if (isCode(error, 'no_mission')) return say(`no mission here. ${HELP}`, 'info');
        throw error;
      });
    case 'status':
      if (!alone) break;
      return say(told(await desk.glance(root), desk.drives(root)), 'info');
    case 'why':
      if (!alone) break;
      return say(because((await desk.glance(root)).why), 'info');
    case 'view':
      if (!alone) break;
      return say(plan((await desk.glance(root)).view), 'info');
    case 'pause':
      if (!alone) break;
      return desk.command(root, { command: 'pause' });
    case 'resume':
      if (!alone) break;
      return desk.goOn(root, true);
    case 'stop': {
      const [mode = 'drain'] = rest;
      if (rest.length > 1 || (mode !== 'drain' && mode !== 'wait' && mode !== 'kill')) break;
      return desk.command(root, { command: 'stop', mode });
    }
    case 'answer': {
      const [first = ''] = rest;
      if (alone) break;
      const id = /^\d+\.\d+$/.test(first) && rest.length > 1 ? first : undefined;
      const words = args.slice('answer'.length).trim();
      return desk.answer(root, id === undefined ? words : words.slice(id.length).trim(), id);
    }
    case 'archive':
      if (!alone && args !== 'archive --unfinished') break;
      return archive(desk, root, !alone, { say, agrees });
    case 'help':
      if (!alone) break;
      return say(HELP, 'info');
  }
  await begin(desk, root, args, { say, agrees });
}

/** Begins a mission of these words, if they mean one; those of the mission that is there go on with it. */
async function begin(desk: Desk, root: string, args: string, { say, agrees }: Person): Promise<void> {
  const what = meant(root, args);
  if (what.do === 'begin') return desk.begin(root, what.words);
  if (await desk.has(root, args)) return desk.goOn(root, false);
  if (what.do === 'refuse') throw new Error(what.why);
  const yes = await agrees('Begin a mission?', `${what.why}. Begin the mission “${what.words}”?`);
  if (yes === true) return desk.begin(root, what.words);
  if (yes === false) return say(`nothing was begun. ${HELP}`, 'info');
  throw new Error(`${what.why}. If a mission was meant: ${howToBegin(what.words)}\nNothing was begun.`);
}

/** Makes room for another mission. One that is not done, or cannot be opened any more, is moved only if that is said, or agreed to. */
async function archive(desk: Desk, root: string, unfinished: boolean, { say, agrees }: Person): Promise<void> {
  const tell = (archived: Parameters<typeof archivedWords>[0]): void => say(archivedWords(archived).join('\n'), 'info');
  try {
    return tell(await desk.archive(root, unfinished));
  } catch (error) {
    const asks = ['mission_exists', 'journal_missing', 'journal_damaged'].some((code) => isCode(error, code));
    if (unfinished || !asks) throw error;
    const glance = await desk.glance(root).catch(() => undefined);
    const stands = glance === undefined ? 'The mission here cannot be opened.' : `“${glance.view.title}” is not done: ${glance.view.phase}.`;
    const yes = await agrees('Archive it all the same?', `${stands} Nobody can go on with it once it is moved aside.`);
    if (yes === true) return tell(await desk.archive(root, true));
    if (yes === false) return say('nothing was moved', 'info');
    throw new Error(`${stands} /endstate archive --unfinished moves it aside all the same; nobody can go on with it then.`, { cause: error });
  }
}

/** Says that a mission waits here, and how to go on. It is never gone on with unasked: that costs money. */
async function offer(desk: Desk, root: string): Promise<void> {
  if (desk.drives(root)) return;
  const glance = await desk.glance(root).catch(() => undefined);
  if (glance === undefined || glance.continuation === 'done' || desk.live(root) !== undefined) return;
  desk.say(`endstate: a mission waits here (${glance.view.phase}): /endstate goes on with it`, 'info');
}

/** Stays until the mission rests, and says where it stands. */
async function waited(desk: Desk, root: string, say: Say): Promise<void> {
  const drove = desk.drives(root);
  await desk.rest();
  if (drove) say(told(await desk.glance(root), false), 'info');
}

/**
 * What the model of the session is told of a mission here, at every turn, so that no conversation has to remember it.
 * Only words of the user and of the engine: what agents wrote has no place in a system prompt.
 */
async function standing(desk: Desk, root: string): Promise<string | undefined> {
  const glance = await desk.glance(root).catch(() => undefined);
  if (glance === undefined) return undefined;
  const { view } = glance;
  const live = desk.live(root);
  const lines = [
    'A mission of endstate is in this project. Its journal says (and nothing in this conversation is newer):',
    `mission: ${view.title}`,
    `${view.continuation}, ${view.phase}; criteria ${view.progress.settled} of ${view.progress.total}; open questions ${view.questions.length}`,
    live === undefined
      ? 'Nobody drives it now.'
      : 'It is being driven: its roles alone change the tree, and your tools that may write are refused.',
    'The user commands it with /endstate; you cannot.',
  ];
  return lines.map(line).join('\n');
}

/** Where words go: to the person, or, with `-p`, to standard output in the form that was asked for. */
function sayer(desk: Desk, hasUI: boolean): Say {
  if (hasUI) return (text, kind) => desk.face.draw((ui) => ui.notify(printable(text), kind));
  const json = process.argv.some((word, at) => word === '--mode=json' || (word === '--mode' && process.argv[at + 1] === 'json'));
  // pi keeps standard output to itself in these modes, but its file is there.
  return (text, kind) => put(json ? `${JSON.stringify({ type: 'endstate', kind, text })}\n` : `${printable(text)}\n`);
}

function put(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(1, bytes, at);
    } catch (error) {
      if (!isCode(error, 'EAGAIN')) return;
    }
  }
}

// The role program of Node: the run of a role as a host sees it, with a real agent behind it. The twin
// of src/native/role_agent.rs; read that first. All decisions are the core's (`AgentBridge`).
//
//   endstate role-agent NAME [ARGS…] < prompt
//
// The environment says what the role may do: ENDSTATE_ACCESS, ENDSTATE_TIER, ENDSTATE_MAX_TURNS, ENDSTATE_ROOT.
// ENDSTATE_AGENT_PROGRAM is the agent's program where it is not the one in PATH: an extension knows which it is in.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { AgentBridge } from '../agents.mjs';

/** How long an agent that has said everything may take to leave, in milliseconds. */
const LEAVE = 5_000;
/** How long is read what an agent left in its pipes. */
const DRAIN = 1_000;
/** Between TERM and KILL. */
const GRACE = 1_500;

/** Writes all of it, also to a pipe that is full. */
function put(file, text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(file, bytes, at);
    } catch (error) {
      // Nobody is reading any more.
      if (error.code === 'EPIPE') return;
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

const quoted = (word) => `'${word.replaceAll("'", `'\\''`)}'`;

async function standardInput() {
  const pieces = [];
  for await (const piece of process.stdin) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

/** The run that this process is, from its arguments, environment and standard input. */
async function requestOf([name, ...extra]) {
  const of = (word) => process.env[`ENDSTATE_${word}`] || undefined;
  const words = extra.map(quoted).join(' ');
  const [tier, turns] = [of('TIER'), Number(of('MAX_TURNS'))];
  const count = (word) => (/^\d{1,15}$/.test(of(word) ?? '') ? Number(of(word)) : 0);
  const known = (word, list) => (list.includes(word) ? word : undefined);
  return {
    agent: words === '' ? name : `${name}${name.includes(':') ? ' ' : ':'}${words}`,
    access: known(of('ACCESS'), ['write', 'read_only']) ?? 'read_only',
    tier: known(tier, ['small', 'standard', 'large']) ?? null,
    model: (tier && of(`MODEL_${tier.toUpperCase()}`)) ?? of('MODEL') ?? null,
    max_turns: Number.isInteger(turns) && turns > 0 ? turns : null,
    session: of('CORRECTS_SESSION') ?? null,
    session_tokens: count('CORRECTS_TOKENS'),
    session_cost_micros: count('CORRECTS_COST_MICROS'),
    root: of('ROOT') ?? process.cwd(),
    prompt: await standardInput(),
  };
}

/** Program and arguments: those of the launch, or the program that was named for it. */
function commandOf([program, ...rest]) {
  const named = process.env.ENDSTATE_AGENT_PROGRAM;
  if (!named) return [program, ...rest];
  return /\.[cm]?js$/.test(named) ? [process.execPath, named, ...rest] : [named, ...rest];
}

/** Plays one run to its end; answers with the exit status. */
export async function roleAgent(args) {
  const request = await requestOf(args);
  const bridge = new AgentBridge(request);
  const launch = bridge.launch();
  const [program, ...rest] = commandOf(launch.argv);
  const child = spawn(program, rest, {
    cwd: request.root, env: { ...process.env, ...launch.variables }, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true,
  });
  try {
    const status = await followed(bridge, child, launch);
    const ending = bridge.end(status);
    put(2, ending.complaint);
    put(1, ending.print);
    return ending.status;
  } catch (error) {
    if (error.syscall?.startsWith('spawn') !== true) throw error;
    const missing = error.code === 'ENOENT' ? ` (${launch.install})` : '';
    put(2, `${program} cannot be started: ${error.code}${missing}\n`);
    return 1;
  }
}

/** Listens until the agent has left. Answers with its exit status, if it left by itself. */
function followed(bridge, child, launch) {
  return new Promise((done, fail) => {
    let timer;
    let ended = false;
    const within = (time, work) => {
      clearTimeout(timer);
      timer = setTimeout(work, time);
    };
    const end = () => {
      ended = true;
      child.kill('SIGTERM');
      within(GRACE, () => child.kill('SIGKILL'));
    };
    const began = Date.now();
    const watch = setInterval(() => {
      if (bridge.waited(Date.now() - began).then === 'stop' && !ended) end();
    }, 1_000);
    child.once('error', (error) => {
      clearInterval(watch);
      fail(error);
    });
    // An agent that does not listen any more says in its own way how it came out.
    child.stdin.on('error', () => {});
    child.stdin.write(launch.input);
    if (!launch.converses) child.stdin.end();
    child.stdout.on('data', (piece) => {
      const turn = bridge.hear(piece);
      put(2, turn.mutter);
      put(1, turn.print);
      if (turn.send !== '' && child.stdin.writable) child.stdin.write(turn.send);
      if (turn.then === 'leave' && !ended) {
        child.stdin.end();
        within(LEAVE, end);
      }
      if (turn.then === 'stop' && !ended) end();
    });
    child.stderr.on('data', (piece) => put(2, bridge.overhear(piece)));
    const finish = (status) => {
      clearTimeout(timer);
      clearInterval(watch);
      child.stdin.destroy();
      child.stdout.destroy();
      child.stderr.destroy();
      done(ended ? undefined : (status ?? undefined));
    };
    // A child of its own may hold its pipes open for ever.
    child.once('exit', (status) => within(DRAIN, () => finish(status)));
    child.once('close', finish);
  });
}

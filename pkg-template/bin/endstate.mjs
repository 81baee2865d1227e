#!/usr/bin/env node
// The command line of the npm package. The whole command line is the Rust program; here is what somebody needs
// who only has Node: drive a mission, look at it, answer and command it.
// Beside that the role program that hosts start.
import * as fs from 'node:fs';
import * as path from 'node:path';

// Hosts start these for each run: the engine, which takes a while to be compiled, has no part in them.
const OF_RUNS = ['role-agent', 'role-script'];

// A package that lost a file, or a Node without WebAssembly, is told as what it is, and keeps no session of an agent.
async function loaded() {
  try {
    const [core, host] = await Promise.all([import('../index.node.mjs'), import('../node.mjs')]);
    if (!OF_RUNS.includes(process.argv[2])) core.version();
    return [core, host];
  } catch (error) {
    const got = String(error?.message ?? error).split('\n')[0];
    process.stderr.write(`endstate: engine_lost\n  at: the package\n  expected: an engine that can be loaded (npm install endstate)\n  got: ${got}\n`);
    process.exit(process.argv[2] === 'hook' ? 0 : 1);
  }
}

const [core, host] = await loaded();
const {
  answerMission, checkedFiles, checkFile, commandMission, createMission, isEngineError, openMission, peekMission,
  printable, Replayer, schemas, StopFlag, version,
} = core;
const {
  archivedWords, archiveMission, lookForAgent, nodeHost, parseAgent, playScenario, refuseRun, serveMcp, stopHook, terminal,
} = host;

const help = () => `endstate ${version()}

Usage:
  endstate run [CONFIG.json] --agent AGENT [--confine auto|required|never] [--resume] [--json]
                                     begin a mission (or go on with the one here) and drive it
  endstate status | why              where the mission stands, and why
  endstate answer [ID] WORDS         answer an open question
  endstate pause | resume | kill | stop [drain|wait|kill]
  endstate archive [--unfinished]    move the record of a mission that is done aside, so that the next can
                                     begin (--unfinished: also of one that is not)
  endstate mcp                       serve the mission to an agent of yours; the Rust program drives
                                     it: endstate run --agent AGENT --hosted ROLE
  endstate hook stop                 answer the stop hook of an agent that hosts: may it stop?
  endstate view [PATH] [--html OUT]  show a mission, a journal or a plan in the browser, live; or write
                                     it into one file that opens offline (--no-open: only say the address)
  endstate check --level files       check the canonical files, each by itself
  endstate replay JOURNAL [--json]   decide every event of a journal again
  endstate schema --out DIR          write the JSON Schemas, one file each
  endstate --version | --help

AGENT is pi, claude, codex, opencode, acp:COMMAND (a program that speaks the Agent Client Protocol),
exec:COMMAND (a program that reads its prompt on standard input and prints its report) or script:FILE. Commands work on the repository in the current directory.

Examples:
  endstate run mission.json --agent 'exec:my-agent --print'
  endstate replay .agent/endstate/journal.jsonl
  endstate replay - --json < journal.jsonl
  endstate schema --out schemas
  endstate view .agent/endstate/journal.jsonl --html run.html

Exit codes: 0 fine, 1 something else went wrong, 2 usage, 3 done with something let go, 10 waits for
an answer, 11 blocked, 12 paused, 13 refused, damaged, or decided otherwise, 14 another driver holds it.
`;

const [OTHER, USAGE, REFUSED] = [1, 2, 13];
const MISSION_EXIT = { done: 0, continue: 0, await_user_input: 10, blocked: 11, paused: 12 };
const HOST_EXIT = { io: 1, usage: 2, no_mission: 13, mission_exists: 13, locked: 14 };
const PIECE = 1 << 20;
// How long a host may take to tell its hook what it has to say, and how much of it is read.
const [INPUT_WAIT, MOST_INPUT] = [2_000, 4 << 20];

// What only the Rust program does.
const ELSEWHERE = ['init', 'adopt', 'refine', 'demo', 'grant', 'skip', 'defer', 'reopen', 'amend', 'skip-verification', 'journal', 'plan', 'completions', 'killall'];

class Usage extends Error {}

// Text from outside, without what a terminal would obey.
const safe = (text) =>
  String(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (unit) =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

// Standard output may be a pipe that is full or closed; write it all before the process ends.
function print(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(1, bytes, at);
    } catch (error) {
      if (error.code === 'EPIPE') return;
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function replayFile(name) {
  const file = name === '-' ? 0 : fs.openSync(name, 'r');
  const replayer = new Replayer();
  const piece = Buffer.allocUnsafe(PIECE);
  for (;;) {
    let length;
    try {
      length = fs.readSync(file, piece, 0, PIECE, null);
    } catch (error) {
      if (error.code === 'EAGAIN') continue;
      if (error.code === 'EOF') break;
      throw error;
    }
    if (length === 0) break;
    replayer.push(piece.subarray(0, length));
  }
  return replayer.finish();
}

function replay(args) {
  const [json, files] = [args.includes('--json'), args.filter((arg) => arg !== '--json')];
  const stray = files.find((arg) => arg !== '-' && arg.startsWith('-'));
  if (stray !== undefined) throw new Usage(`unknown option ${stray}`);
  if (files.length !== 1) throw new Usage('replay takes one JOURNAL');
  const found = replayFile(files[0]);
  print(json ? `${JSON.stringify(found)}\n` : told(found));
  return found.divergence ? REFUSED : 0;
}

function told(found) {
  const lines = [`${found.events} events, ends at: ${found.continuation}`, `chain ${found.chain}`];
  if (found.torn_bytes > 0) lines.push(`the last line is torn: ${found.torn_bytes} bytes left out`);
  const other = found.divergence;
  if (other) {
    lines.push(`event ${other.seq} would be decided otherwise, by ${safe(other.rule)}: at ${safe(other.path)}`);
    lines.push(`  recorded: ${safe(other.recorded)}`, `  decided now: ${safe(other.decided)}`);
  } else {
    lines.push('every event is decided as recorded');
  }
  return `${lines.join('\n')}\n`;
}

function schema(args) {
  const [flag, folder, ...rest] = args.flatMap((arg) =>
    arg.startsWith('--out=') ? ['--out', arg.slice(6)] : [arg]);
  if (flag !== '--out' || !folder || rest.length > 0) throw new Usage('schema takes --out DIR');
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, value] of Object.entries(schemas())) {
    fs.writeFileSync(path.join(folder, `${name}.schema.json`), `${JSON.stringify(value, null, 2)}\n`);
  }
  return 0;
}

// Takes `--name VALUE` and `--flag` out of a line; what is left are words.
function options(args, values, flags) {
  const [words, named] = [[], {}];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    if (flags.includes(arg)) named[arg.slice(2)] = true;
    else if (values.includes(arg) && args[at + 1] !== undefined) named[arg.slice(2)] = args[(at += 1)];
    else if (arg === '--hosted' || arg === '--protocol' || arg === '--begin') throw new Usage(`${arg} is for the Rust program, which hosts an agent of yours and reads plans`);
    else if (arg.startsWith('--')) throw new Usage(`unknown option ${arg}, or one without its value`);
    else words.push(arg);
  }
  return { words, named };
}

async function run(args) {
  const { words, named } = options(args, ['--agent', '--confine'], ['--resume', '--json']);
  if (named.agent === undefined || words.length > 1) throw new Usage('run takes at most one CONFIG.json, and --agent');
  const agent = parseAgent(named.agent);
  lookForAgent(named.agent, process.cwd());
  const ask = process.stdin.isTTY ? terminal() : undefined;
  const host = nodeHost({ root: process.cwd(), agent, confine: named.confine ?? 'auto', ...(ask && { ask }) });
  const mission = words[0] === undefined
    ? await openMission({ host })
    : await createMission({ host, config: fs.readFileSync(words[0], 'utf8') });
  try {
    // Only what rests can be resumed.
    const { control } = await mission.ask((engine) => engine.outbox());
    const rests = ['paused', 'stopped'].includes(control) || (await mission.continuation()) === 'blocked';
    if (named.resume && rests) await mission.resume();
    const stop = new StopFlag();
    let raised = 0;
    const heed = () => {
      stop.raise();
      raised += 1;
      const next = ['', 'what runs comes to its end; again ends it', 'what runs is ended; again leaves at once'][raised];
      if (next) process.stderr.write(`endstate: stopping: ${next}\n`);
    };
    // A terminal that closes and a service that is stopped leave no run and no lock behind either.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, heed);
    await mission.run({ stop, on: (happening) => say(happening, named.json) });
    const { view } = await look(host, named.json);
    const letGo = (view.end?.waived.length ?? 0) + (view.end?.deferred.length ?? 0) > 0;
    if (view.end?.shown.some(({ enough }) => !enough)) return 4;
    return letGo ? 3 : MISSION_EXIT[view.continuation];
  } finally {
    await mission.close();
  }
}

// What happens, as a line for people or for programs.
function say(happening, json) {
  if (json) return print(`${JSON.stringify(happening)}\n`);
  if (happening.type === 'notice') print(`${printable(happening.text)}\n`);
  if (happening.type !== 'event') return;
  const { type, data } = happening.event.fact;
  const what = data.outcome !== undefined && typeof data.outcome === 'string' ? `: ${data.outcome}` : '';
  if (type !== 'run_progressed') print(`${type}${data.effect ? ` ${data.effect}` : ''}${what}\n`);
}

async function look(host, json) {
  const glance = await peekMission(host);
  const { view, questions } = glance;
  if (json) print(`${JSON.stringify(glance)}\n`);
  else {
    print(`${printable(`${view.phase}: ${view.reason}`)}\n`);
    for (const { id, text } of questions) print(`${printable(`question ${id}: ${text}`)}\n`);
  }
  return glance;
}

async function why(host, json) {
  const glance = await peekMission(host);
  print(json ? `${JSON.stringify(glance.why)}\n` : `${printable(glance.why.chosen.action)}\n`);
}

// Commands on the mission here.
async function mission(command, args) {
  const { words, named } = options(args, [], ['--json']);
  const host = nodeHost({ root: process.cwd() });
  if (command === 'status') await look(host, named.json);
  else if (command === 'why') await why(host, named.json);
  else if (command === 'answer') {
    if (words.length === 0) throw new Usage('answer takes WORDS');
    refuseRun(process.cwd());
    const id = words.length > 1 && /^\d+\.\d+$/.test(words[0]) ? words.shift() : undefined;
    await answerMission(host, words.join(' '), id);
  } else {
    const mode = words[0] ?? 'drain';
    refuseRun(process.cwd());
    await commandMission(host, command === 'stop' ? { command, mode } : { command });
  }
  return 0;
}

// Room for the next mission.
async function archive(args) {
  const { words, named } = options(args, [], ['--unfinished', '--json']);
  if (words.length > 0) throw new Usage('archive takes --unfinished');
  const { mission, path: at, tracked, lost } = await archiveMission(process.cwd(), { unfinished: named.unfinished });
  for (const line of archivedWords({ mission, path: at, tracked, lost })) {
    if (!named.json) print(`${printable(line)}\n`);
  }
  if (named.json) print(`${JSON.stringify({ result: 'archive', mission, path: at, tracked })}\n`);
  return 0;
}

// Each file by itself: what the scripts of a completion mission call through ENDSTATE_BIN.
function check(args) {
  const { words, named } = options(args, ['--level'], ['--json']);
  if (named.level !== 'files' || words.length > 0) throw new Usage('check takes --level files; the Rust program checks a whole mission');
  const bytes = (name) => (fs.existsSync(name) ? fs.readFileSync(name) : undefined);
  const { mission: files, records } = checkedFiles();
  const own = files.slice(0, 8).some((name) => fs.existsSync(name));
  const other = records.some((name) => fs.existsSync(path.dirname(name)));
  const looked = other && !own ? records : [...records, ...files];
  const findings = looked.flatMap((name) => checkFile(name, bytes(name)));
  const faults = findings.filter((one) => one.severity === 'fault').length;
  for (const { path: name, severity, diagnostic: one } of findings) {
    print(named.json ? `${JSON.stringify({ finding: { path: name, severity, diagnostic: one } })}\n`
      : `${safe(`${name}: ${severity}: ${one.code}: at ${one.at}: expected ${one.expected}, got ${one.got}`)}\n`);
  }
  const notes = findings.length - faults;
  print(named.json ? `${JSON.stringify({ result: 'check', faults, notes })}\n` : `${faults} faults, ${notes} notes\n`);
  return faults === 0 ? 0 : 13;
}

// Inside of a run of the mission an agent may look, and nothing else.
async function mcp(args) {
  const { words, named } = options(args, ['--wait', '--agent'], ['--no-answers']);
  const wait = Number(named.wait ?? 45);
  if (named.agent !== undefined) throw new Usage('mcp takes no --agent here: the server of the Rust program drives a mission, this one never does');
  if (words.length > 0 || !Number.isInteger(wait) || wait < 0 || wait > 600) throw new Usage('mcp takes --wait 0..600 and --no-answers');
  const policy = { wait_seconds: wait, answers: !named['no-answers'], only_look: Boolean(process.env.ENDSTATE_RUN) };
  await serveMcp({ root: process.cwd(), policy });
  return 0;
}

// Whatever happens, the answer is one that hosts can read, and the exit status is zero.
async function hook(args) {
  const { words, named } = options(args, ['--wait', '--patience'], []);
  const [wait, patience] = [Number(named.wait ?? 20), Number(named.patience ?? 5)];
  const fine = Number.isInteger(wait) && wait >= 0 && Number.isInteger(patience) && patience >= 1;
  if (words.join(' ') !== 'stop' || !fine) throw new Usage('hook takes stop, --wait SECONDS and --patience N');
  let asked = {};
  try {
    asked = JSON.parse(await input()) ?? {};
  } catch {
    // What cannot be read asks for the mission here.
  }
  const answer = await stopHook({ wait, patience })(asked);
  if (answer !== undefined) print(`${JSON.stringify(answer)}\n`);
  return 0;
}

// What a host says on standard input, as far as it comes in time.
async function input() {
  if (process.stdin.isTTY) return '';
  const pieces = [];
  let length = 0;
  const timer = setTimeout(() => process.stdin.destroy(), INPUT_WAIT);
  try {
    for await (const piece of process.stdin) {
      if ((length += piece.length) > MOST_INPUT) break;
      pieces.push(piece);
    }
  } catch {
    // It did not end in time.
  }
  clearTimeout(timer);
  return Buffer.concat(pieces).toString();
}

// The viewer, when it is wanted.
async function view(args) {
  const { words, named } = options(args, ['--html', '--page'], ['--json', '--no-open']);
  if (words.length > 1) throw new Usage('view takes at most one PATH');
  const voice = {
    say: (line) => { if (!named.json) print(`${printable(line)}\n`); },
    object: (value) => { if (named.json) print(`${JSON.stringify(value)}\n`); },
  };
  return (await import('./view.mjs')).view({ words, named }, voice);
}

function roleScript(args) {
  if (args.length !== 1) throw new Usage('role-script takes one FILE');
  return playScenario(args[0]);
}

function fail(error, json) {
  if (error instanceof Usage) {
    process.stderr.write(`endstate: ${safe(error.message)}\n\n${help()}`);
    return USAGE;
  }
  const host = error?.name === 'HostError';
  const ours = host || isEngineError(error);
  const { kind = 'refused', code, at, expected, got } = ours
    ? error
    : { kind: 'refused', code: 'host_failed', at: error?.path ?? '', expected: 'a call that succeeds', got: String(error?.message ?? error) };
  if (json) print(`${JSON.stringify({ error: { kind, code, at, expected, got } })}\n`);
  process.stderr.write(
    `endstate: ${code} (${kind})\n  at: ${safe(at)}\n  expected: ${safe(expected)}\n  got: ${safe(got)}\n`);
  if (host) return HOST_EXIT[error.code] ?? 13;
  return ours ? REFUSED : OTHER;
}

// Hidden: hosts start it. Its arguments are the agent's own, its standard output is the run's.
async function playRole(args) {
  if (args.length === 0) throw new Usage('role-agent takes NAME');
  const { roleAgent } = await import('../role-agent/main.mjs');
  return roleAgent(args);
}

async function main(args) {
  const [command, ...rest] = args;
  try {
    switch (command) {
      case 'run': return await run(rest);
      case 'status': case 'why': case 'answer': case 'pause': case 'resume': case 'kill': case 'stop':
        return await mission(command, rest);
      case 'archive': return await archive(rest);
      case 'mcp': return await mcp(rest);
      case 'hook': return await hook(rest);
      case 'view': return await view(rest);
      case 'check': return check(rest);
      case 'role-script': return await roleScript(rest);
      case 'replay': return replay(rest);
      case 'schema': return schema(rest);
      case 'role-agent': return await playRole(rest);
      case '--version': case '-V': print(`endstate ${version()}\n`); return 0;
      case '--help': case '-h': case 'help': print(help()); return 0;
      case undefined: throw new Usage('a command is missing');
      default:
        if (ELSEWHERE.includes(command)) throw new Usage(`${command} is a command of the Rust program; the npm package has those below`);
        throw new Usage(`unknown command ${command}`);
    }
  } catch (error) {
    return fail(error, command !== 'role-agent' && rest.includes('--json'));
  }
}

process.exitCode = await main(process.argv.slice(2));

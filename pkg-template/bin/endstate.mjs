#!/usr/bin/env node
// The command line of the npm package: what needs no host, and the role program that hosts start.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { Replayer, schemas, version } from '../index.node.mjs';

const HELP = `endstate ${version()}

Usage:
  endstate replay JOURNAL [--json]   decide every event of a journal again
  endstate schema --out DIR          write the JSON Schemas, one file each
  endstate --version | --help

Examples:
  endstate replay .agent/endstate/journal.jsonl
  endstate replay - --json < journal.jsonl
  endstate schema --out schemas

Exit codes: 0 fine, 1 something else went wrong, 2 usage, 4 the journal is damaged or
was decided otherwise.
`;

const [OTHER, USAGE, REFUSED] = [1, 2, 4];
const PIECE = 1 << 20;

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

function fail(error, json) {
  if (error instanceof Usage) {
    process.stderr.write(`endstate: ${safe(error.message)}\n\n${HELP}`);
    return USAGE;
  }
  const ours = error?.name === 'EndstateError';
  const { kind, code, at, expected, got } = ours
    ? error
    : { kind: 'refused', code: 'host_failed', at: error?.path ?? '', expected: 'a call that succeeds', got: String(error?.message ?? error) };
  if (json) print(`${JSON.stringify({ error: { kind, code, at, expected, got } })}\n`);
  process.stderr.write(
    `endstate: ${code} (${kind})\n  at: ${safe(at)}\n  expected: ${safe(expected)}\n  got: ${safe(got)}\n`);
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
      case 'replay': return replay(rest);
      case 'schema': return schema(rest);
      case 'role-agent': return await playRole(rest);
      case '--version': case '-V': print(`endstate ${version()}\n`); return 0;
      case '--help': case '-h': case 'help': print(HELP); return 0;
      case undefined: throw new Usage('a command is missing');
      default: throw new Usage(`unknown command ${command}`);
    }
  } catch (error) {
    return fail(error, command !== 'role-agent' && rest.includes('--json'));
  }
}

process.exitCode = await main(process.argv.slice(2));

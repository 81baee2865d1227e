// Holds an opencode session until its mission is done: when a session falls idle, `endstate hook stop`
// is asked whether it may, and if not, its reason becomes the next prompt.
//
// Works in the interface and under `opencode serve`; `opencode run` leaves before it can be held.
// ENDSTATE_BIN names another program than `endstate`; in the npm package it is the one of the package.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const own = fileURLToPath(new URL('../../bin/endstate.mjs', import.meta.url));
const PROGRAM = process.env.ENDSTATE_BIN || (existsSync(own) ? own : 'endstate');
const MOST_MS = 60_000;
const MOST_TEXT = 20_000;

// What the hook says; nothing if there is no hook, no answer, or none that can be read.
function ask(directory, sessionID) {
  return new Promise((done) => {
    const child = spawn(PROGRAM, ['hook', 'stop'], { cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MS);
    let said = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text) => { said = (said + text).slice(0, MOST_TEXT); });
    child.stdin.on('error', () => {});
    child.on('error', () => { clearTimeout(timer); done({}); });
    child.on('close', () => {
      clearTimeout(timer);
      try {
        const answer = JSON.parse(said);
        done(answer && typeof answer === 'object' ? answer : {});
      } catch {
        done({});
      }
    });
    child.stdin.end(JSON.stringify({ hook_event_name: 'Stop', cwd: directory, session_id: sessionID }));
  });
}

export const Endstate = async ({ client, directory }) => {
  const asking = new Set();
  return {
    event: async ({ event }) => {
      const id = event?.properties?.sessionID;
      if (event?.type !== 'session.idle' || !id || asking.has(id)) return;
      asking.add(id);
      try {
        // A session that another one sent out ends by itself.
        const session = await client.session.get({ path: { id } });
        if (session?.data?.parentID) return;
        const { decision, reason, systemMessage } = await ask(directory, id);
        if (decision === 'block' && typeof reason === 'string') {
          await client.session.promptAsync({ path: { id }, body: { parts: [{ type: 'text', text: reason }] } });
        } else if (typeof systemMessage === 'string') {
          await client.app.log({ body: { service: 'endstate', level: 'warn', message: systemMessage } });
        }
      } finally {
        asking.delete(id);
      }
    },
  };
};

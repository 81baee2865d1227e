// `endstate view`: the viewer, served to the browser of this machine or written into one file.
import { spawn } from 'node:child_process';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveViewer, writeViewer } from '../node.mjs';

/** Asks the desktop to open an address of ours. It is one argument of a program, never a line for a shell. */
function openBrowser(url) {
  const program = { darwin: 'open', win32: 'explorer' }[process.platform] ?? 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(program, [url], { stdio: 'ignore', detached: true });
    child.on('error', () => resolve(false)).on('exit', (status) => resolve(status === 0 || program === 'explorer'));
    child.unref();
  });
}

/** Writes the page, or serves it until Ctrl-C. `say` prints a line for people, `object` one for programs. */
export async function view({ words, named }, { say, object }) {
  const page = named.page ? path.resolve(named.page) : fileURLToPath(new URL('../viewer.html', import.meta.url));
  const options = { root: process.cwd(), page, ...(words[0] !== undefined && { path: words[0] }) };
  if (named.html !== undefined) {
    const out = path.resolve(named.html);
    const bytes = writeViewer({ ...options, out });
    say(`${out}: ${bytes} bytes`);
    object({ result: 'written', path: out, bytes });
    return 0;
  }
  const server = await serveViewer(options);
  say(`the viewer is at ${server.url}`);
  say('Ctrl-C ends it');
  object({ result: 'serving', url: server.url });
  if (!named['no-open'] && !await openBrowser(server.url)) say('no browser could be opened: open the address yourself');
  await new Promise((resolve) => ['SIGINT', 'SIGTERM'].forEach((name) => process.once(name, resolve)));
  await server.close();
  return 0;
}

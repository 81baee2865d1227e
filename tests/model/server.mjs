// A scripted model on loopback, for tests with real agents: it speaks chat completions, Responses and
// Messages, and says what a script tells it to. Nothing leaves the machine.
//
//   const model = await serve({ script, status, delay });   // port 0 unless told otherwise
//   model.url, model.port, model.requests, await model.close()
//
//   node tests/model/server.mjs --script FILE.mjs|FILE.json [--port N] [--delay MS] [--status 401] [--log FILE]
//   prints `listening on 127.0.0.1:PORT` and runs until it is ended
//
// A script is a function of `{prompt, results, tools, model}`, in the words of script.mjs, or a list of
// rules as told there. `results` is what the tools said so far in this conversation, so a script needs
// no memory, and any number of conversations may go on at once.
import * as fs from 'node:fs';
import * as http from 'node:http';
import { pathToFileURL } from 'node:url';
import * as path from 'node:path';
import { dialectOf } from './dialects.mjs';
import { answerOf, scriptOf } from './script.mjs';

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function json(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function stream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (value, event) => {
    const name = event ? `event: ${event}\n` : '';
    response.write(`${name}data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
  };
}

/** Starts it. `status` other than 200 answers every conversation with that status and no model. */
export async function serve({ script, port = 0, delay = 0, status = 200, log, stay = false } = {}) {
  const decide = scriptOf(script);
  const requests = [];
  const held = { status, delay };
  const server = http.createServer(async (request, response) => {
    const [place] = request.url.split('?');
    const body = await bodyOf(request);
    if (request.method === 'GET' && place.endsWith('/models')) {
      return json(response, 200, { object: 'list', data: [{ id: 'scripted-1', object: 'model', created: 1, owned_by: 'tests', type: 'model', display_name: 'Scripted' }] });
    }
    if (place.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 100 });
    const dialect = request.method === 'POST' ? dialectOf(place) : undefined;
    if (!dialect) return json(response, 404, { error: { message: `nothing at ${place}` } });
    const heard = { ...dialect.read(body), model: body.model };
    const id = requests.push({ path: place, ...heard });
    if (log) fs.appendFileSync(log, `${JSON.stringify({ id, path: place, ...heard })}\n`);
    if (held.delay > 0) await wait(held.delay);
    if (held.status !== 200) return json(response, held.status, dialect.fault(held.status, 'scripted refusal'));
    let answer;
    try {
      answer = await answerOf(decide, heard);
    } catch (error) {
      return json(response, 500, dialect.fault(500, `the script failed: ${error.message}`));
    }
    if (answer.hang) return; // until somebody gives up
    const facts = { id, model: body.model ?? 'scripted-1', usage: { input: 100, output: 10 } };
    requests[id - 1].answer = answer;
    if (!body.stream) return json(response, 200, dialect.whole(answer, facts));
    dialect.write(stream(response), answer, facts);
    response.end();
  });
  await new Promise((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  // A test that fails before it closes the model still ends.
  if (!stay) server.unref();
  const at = server.address().port;
  return {
    port: at,
    url: `http://127.0.0.1:${at}`,
    requests,
    /** From now on every conversation is answered with this status. */
    refuse: (other) => { held.status = other; },
    close: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }),
  };
}

async function main(args) {
  const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const file = option('--script');
  if (!file) throw new Error('--script FILE is missing');
  const script = file.endsWith('.json')
    ? JSON.parse(fs.readFileSync(file, 'utf8'))
    : (await import(pathToFileURL(path.resolve(file)))).default;
  const number = (name, otherwise) => Number(option(name) ?? otherwise);
  const model = await serve({
    script, port: number('--port', 0), delay: number('--delay', 0), status: number('--status', 200), log: option('--log'), stay: true,
  });
  console.log(`listening on 127.0.0.1:${model.port}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  main(process.argv.slice(2)).catch((error) => { console.error(error.message); process.exit(2); });
}

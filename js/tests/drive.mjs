// A driver in a process of its own, to be killed: node drive.mjs HOME ROOT CONFIG|- AGENT…
// Prints how it ended as JSON, or the code of the error.
import { createRequire } from 'node:module';
import * as fs from 'node:fs';
import * as path from 'node:path';

const [home, root, config, ...argv] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { createMission, openMission } = require(path.join(home, 'index.cjs'));
const { execAgent, nodeHost } = require(path.join(home, 'node.cjs'));

const host = nodeHost({ root, agent: execAgent(argv) });
const begun = fs.existsSync(path.join(root, '.agent', 'endstate', 'journal.jsonl'));
let mission;
try {
  const create = () => createMission({ host, config: fs.readFileSync(config, 'utf8') });
  mission = begun ? await openMission({ host }).catch((error) => (error.code === 'no_mission' ? create() : Promise.reject(error))) : await create();
  const ended = await mission.run();
  console.log(JSON.stringify(ended));
} catch (error) {
  console.log(JSON.stringify({ code: error.code ?? error.message }));
  process.exitCode = 1;
} finally {
  await mission?.close();
}

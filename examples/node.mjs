// A mission in a real git repository, played by any program: node node.mjs REPOSITORY COMMAND…
// The program reads its prompt on standard input and prints its report. Ctrl-C once lets what runs come to its end,
// twice ends it; run the same line again to go on.
import { createMission, openMission, StopFlag } from 'endstate';
import { execAgent, iterationConfig, nodeHost, terminal } from 'endstate/node';

const [root, ...argv] = process.argv.slice(2);
const host = nodeHost({ root, agent: execAgent(argv), ...(process.stdin.isTTY && { ask: terminal() }) });
const mission = await openMission({ host }).catch((error) => {
  if (error.code !== 'no_mission') throw error;
  return createMission({ host, config: iterationConfig(root, 'agent.json') });
});
const stop = new StopFlag();
process.on('SIGINT', () => stop.raise());
for await (const { type, event } of mission.drive({ stop })) {
  if (type === 'event') console.log(event.fact.type, event.fact.data.effect ?? '');
}
console.log(await mission.continuation(), (await mission.status()).reason);
await mission.close();

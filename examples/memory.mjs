// A mission in memory: no files, no git, no processes. Runs in a browser as well.
import { createMission, memoryHost } from 'endstate';

const definition = {
  name: 'counter', displayName: 'Counter',
  behavior: { completionType: 'manual', completionConfig: { completionKeyword: 'COUNTED', maxIterations: 5 } },
};
let count = 0;
const host = memoryHost({
  agent: ({ run }) => ({ report: `${run}: ${(count += 1)}${count === 3 ? '\nCOUNTED' : ''}\n` }),
});
const settings = { mission: 'Count to three', definition };
const mission = await createMission({ host, config: { mission: { protocol: 'iteration', settings } } });
for await (const happening of mission) {
  if (happening.type === 'event') console.log(happening.event.fact.type);
}
console.log(await mission.continuation(), (await mission.status()).reason);
await mission.close();

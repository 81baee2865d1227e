// A mission in a page: the engine and its driver run here, nothing is sent anywhere. Serve this folder, with the package
// in node_modules: npm install endstate && npx http-server .
import { createMission, memoryHost } from './node_modules/endstate/index.mjs';

const [form, status, list] = ['form', '[role=status]', 'ol'].map((name) => document.querySelector(name));
const definition = {
  name: 'counter', displayName: 'Counter',
  behavior: { completionType: 'manual', completionConfig: { completionKeyword: 'COUNTED', maxIterations: 5 } },
};

/** The next thing that is sent. */
const sent = () => new Promise((resolve) => {
  form.onsubmit = (event) => {
    event.preventDefault();
    resolve(new FormData(form).get('report'));
    form.reset();
  };
});

const host = memoryHost({
  agent: async ({ visit }) => {
    status.textContent = `Run ${visit} is yours.`;
    return { report: await sent() };
  },
});
const settings = { mission: 'Count to three', definition };
const mission = await createMission({ host, config: { mission: { protocol: 'iteration', settings } } });
for await (const happening of mission) {
  if (happening.type === 'event') list.append(Object.assign(document.createElement('li'), { textContent: happening.event.fact.type }));
}
form.hidden = true;
status.textContent = `${await mission.continuation()}: ${(await mission.status()).reason}`;
await mission.close();

// The bridge to real agents: what it makes of their transcripts here is what it makes of them natively.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { fields, root, thrownBy } from '../package.mjs';

const folder = path.join(root, 'tests', 'agents', 'transcripts');
const request = { agent: 'pi', root: '/repo', prompt: 'Do it.', access: 'write', max_turns: 9 };

export default function agents(pkg) {
  const { AgentBridge } = pkg.host;

  test('every transcript is read as it is natively', () => {
    const answers = JSON.parse(fs.readFileSync(path.join(folder, 'answers.json'), 'utf8'));
    assert.ok(Object.keys(answers).length >= 29);
    for (const [name, answer] of Object.entries(answers)) {
      const kind = name.split('-')[0];
      const bridge = new AgentBridge({ ...request, agent: kind === 'acp' ? 'acp:agent' : kind });
      let [print, send] = ['', ''];
      for (const line of fs.readFileSync(path.join(folder, `${name}.jsonl`), 'utf8').split(/(?<=\n)/)) {
        const turn = bridge.hear(Buffer.from(line));
        print += turn.print;
        send += turn.send;
      }
      assert.deepEqual({ print, send, ending: bridge.end(0) }, answer, name);
      bridge.free();
    }
  });

  test('output that is torn anywhere comes out whole', () => {
    const bytes = fs.readFileSync(path.join(folder, 'pi-good.jsonl'));
    const bridge = new AgentBridge(JSON.stringify(request));
    for (let at = 0; at < bytes.length; at += 1) bridge.hear(bytes.subarray(at, at + 1));
    assert.match(bridge.end().print, /\nAll done, caf\u00e9 \u{1f600}\.\nSecond line\.\n$/u);
  });

  test('a launch has the prompt on standard input and nothing that writes for a reader', () => {
    const { argv, input, converses, variables } = new AgentBridge({ ...request, access: 'read_only' }).launch();
    assert.deepEqual([argv[0], input, converses, variables], ['pi', 'Do it.', false, {}]);
    assert.ok(argv.includes('read,bash,grep,find,ls,endstate_report'), argv.join(' '));
  });

  test('what is no request is thrown with its place', () => {
    const thrown = (value) => fields(thrownBy(() => new AgentBridge(value)));
    assert.equal(thrown({ ...request, agent: 'gpt' }).code, 'unknown_value');
    assert.equal(thrown({ ...request, agent: "pi:'" }).code, 'invalid_value');
    assert.equal(thrown({ ...request, access: 'all' }).code, 'unknown_value');
    assert.equal(thrown({ agent: 'pi' }).code, 'missing_field');
    assert.equal(thrown(undefined).code, 'wrong_type');
    const bridge = new AgentBridge(request);
    for (const bad of ['text', 7, null, {}, [1]]) assert.equal(thrownBy(() => bridge.hear(bad)).code, 'wrong_type');
    assert.equal(thrownBy(() => bridge.waited('0')).code, 'wrong_type');
    assert.equal(bridge.waited(700_000).then, 'listen');
    assert.equal(new AgentBridge({ ...request, agent: 'acp:agent' }).waited(700_000).then, 'stop');
    assert.equal(thrownBy(() => bridge.end('0')).code, 'wrong_type');
    assert.equal(bridge.overhear(Buffer.from('{"endstate":"result"}\n')), '> {"endstate":"result"}\n');
    bridge.free();
    bridge.free();
    assert.throws(() => bridge.launch(), /was freed/);
  });
}

// Confined agents of the Node host: what they cannot do, each beside an agent that is not confined and does it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { bubblewrap } from '../../../tests/bubblewrap.mjs';
import { facts, git, program, repository, smallConfig } from '../projects.mjs';

const ENGINE = '.agent/endstate';

export default function confineSuite(pkg) {
  const { createMission } = pkg.imported;
  const { execAgent, nodeHost } = pkg.host;
  const bwrap = bubblewrap();
  const skip = bwrap === undefined && 'no bubblewrap (ENDSTATE_BWRAP names one)';

  // One mission of one run of a script; answers with its facts and its view.
  const play = async (script, confine, more = {}) => {
    const root = repository({ 'README.md': 'Small.\n' });
    const host = nodeHost({ root, agent: execAgent(['sh', '-c', script]), confine, bwrap, ...more });
    const mission = await createMission({ host, config: smallConfig(1, { follow_head: true }) });
    await mission.run();
    const view = await mission.status();
    await mission.close();
    const of = (type) => facts(root).find((fact) => fact.type === type)?.data;
    return { root, host, view, of };
  };

  const ways = {
    'a line of the journal': [`echo forged >>${ENGINE}/forged`, `${ENGINE}/forged`],
    'a letter': [`mkdir -p ${ENGINE}/inbox/refused; echo {} >${ENGINE}/inbox/refused/a.json`, `${ENGINE}/inbox/refused/a.json`],
    // Not before the driver has written that the run has started.
    'another directory in the place of the engine\'s': [`sleep 1; mv .agent away && mkdir -p ${ENGINE} && echo x >${ENGINE}/moved; mv ${ENGINE}/moved away/endstate/ && `
      + 'rm -r .agent && mv away .agent', `${ENGINE}/moved`],
    'another mount': [`umount ${ENGINE}; unshare -Urm sh -c 'umount ${ENGINE}; mount -o remount,rw,bind ${ENGINE}'; echo x >${ENGINE}/mounted`, `${ENGINE}/mounted`],
    'a filter of git that the host runs': [`git config filter.x.clean "touch $PWD/${ENGINE}/filtered; cat"; echo "* filter=x" >.git/info/attributes; `
      + `touch -d 2001-01-01 README.md; rm -f ${ENGINE}/filtered`, `${ENGINE}/filtered`],
    'a daemon without marks': ['setsid -f env -i /bin/sh -c "sleep 4; echo x >late" >/dev/null 2>&1; sleep 0.5', 'late'],
  };
  for (const [name, [way, sign]] of Object.entries(ways)) {
    test(`a confined agent of Node has no way in by ${name}`, { skip }, async () => {
      for (const confine of ['never', 'required']) {
        const { root, view, of } = await play(`(${way}) 2>/dev/null; echo a report`, confine);
        if (sign === 'late') await sleep(5_000);
        assert.equal(fs.existsSync(path.join(root, sign)), confine === 'never', confine);
        assert.equal(of('run_started').confined, confine === 'never' ? undefined : true);
        assert.equal(view.agents, confine === 'never' ? 'unconfined' : 'confined');
        assert.equal(of('run_ended').report, 'a report\n');
      }
    });
  }

  test('a confined agent of Node works and is told to wind up as ever', { skip }, async () => {
    const work = 'read line; echo work >a.txt; git add a.txt; git commit -qm work; trap "sleep 0.3; echo wound up; exit 0" TERM; '
      + 'echo begun; while :; do sleep 0.05; done';
    const root = repository({ 'README.md': 'Small.\n' });
    const host = nodeHost({ root, agent: execAgent(['sh', '-c', work]), confine: 'required', bwrap });
    const mission = await createMission({ host, config: smallConfig() });
    const on = async ({ type, event }) => {
      if (type === 'event' && event.fact.type === 'run_started') await sleep(500).then(() => mission.stop('wait'));
    };
    await mission.run({ on: (happening) => void on(happening) });
    await mission.close();
    const ended = facts(root).find((fact) => fact.type === 'run_ended').data;
    assert.equal(ended.report, 'begun\nwound up\n', JSON.stringify(ended));
    assert.equal(git(root, 'log', '-1', '--format=%s').trim(), 'work');
  });

  test('where agents must be confined and cannot, none is started', async () => {
    const none = await play('touch ran; echo a report', 'required', { bwrap: '/nowhere/bwrap' });
    assert.equal(none.of('effect_failed').problem.code, 'not_confined');
    assert.ok(!fs.existsSync(path.join(none.root, 'ran')));
    const loose = await play('echo a report', 'auto', { bwrap: '/nowhere/bwrap' });
    assert.deepEqual([loose.view.agents, loose.of('run_ended').report], ['unconfined', 'a report\n']);
    assert.match(loose.host.unconfined, /\/nowhere\/bwrap/);
    const inside = await play('', 'required', { agent: { name: 'here', play: async () => ({ report: 'done' }) } });
    assert.equal(inside.of('effect_failed').problem.code, 'not_confined');
    assert.throws(() => nodeHost({ root: none.root, confine: 'always' }), { code: 'usage' });
  });

  test('a command without network reaches nothing outside its room', { skip }, async () => {
    const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const command = ['bash', '-c', `: > /dev/tcp/127.0.0.1/${server.address().port}`];
    const definition = { name: 'a', displayName: 'A', behavior: { completionType: 'check', completionConfig: { command, maxIterations: 2 } } };
    const shown = [];
    for (const [offline, program] of [[false, bwrap], [true, bwrap], [true, '/nowhere/bwrap']]) {
      const root = repository({ 'README.md': 'Small.\n' });
      const host = nodeHost({ root, agent: execAgent(['sh', '-c', 'echo a report']), bwrap: program });
      const config = { mission: { protocol: 'iteration', settings: { mission: 'm', definition, follow_head: true } }, proof: { offline } };
      const mission = await createMission({ host, config });
      await mission.run();
      const { how, by } = (await mission.status()).end.shown[0];
      shown.push([how, /command_failed|not_confined/.exec(by)?.[0]]);
      await mission.close();
    }
    server.close();
    assert.deepEqual(shown, [['observed', undefined], ['claimed', 'command_failed'], ['claimed', 'not_confined']]);
  });

  test('an agent that takes its marks off does not speak as its user', { skip }, async () => {
    const bin = JSON.stringify(pkg.bin);
    const script = `env -u ENDSTATE_RUN -u ENDSTATE_ROOT ${bin} pause >said 2>&1; echo a report`;
    for (const [confine, code] of [['never', /own_verdict/], ['required', /io|EROFS/]]) {
      const { root } = await play(script, confine);
      assert.match(fs.readFileSync(path.join(root, 'said'), 'utf8'), code);
    }
  });

  test('the Rust program goes on with a mission whose agents Node confined', { skip }, async () => {
    const { root } = await play('echo a report', 'required');
    const said = spawnSync(program(), ['status', '--json'], { cwd: root, encoding: 'utf8' });
    assert.equal(JSON.parse(said.stdout.trim().split('\n').at(-1)).agents, 'confined', said.stdout);
  });
}

// One build and one installation for all suites: `node --test js/tests/`.
import { after } from 'node:test';
import { installed } from './package.mjs';
import agents from './suites/agents.mjs';
import badInput from './suites/bad-input.mjs';
import cli from './suites/cli.mjs';
import documents from './suites/documents.mjs';
import facilitator from './suites/facilitator.mjs';
import loading from './suites/loading.mjs';
import memory from './suites/memory.mjs';
import nodeFaults from './suites/node-faults.mjs';
import nodeHost from './suites/node-host.mjs';
import nodeKill from './suites/node-kill.mjs';
import traces from './suites/traces.mjs';

const pkg = await installed();
after(() => pkg.remove());
loading(pkg);
badInput(pkg);
traces(pkg);
facilitator(pkg);
documents(pkg);
agents(pkg);
cli(pkg);
memory(pkg);
nodeHost(pkg);
nodeFaults(pkg);
nodeKill(pkg);

// The engine as it is installed, in one process: what computes.
import { after } from 'node:test';
import { installed } from './package.mjs';
import badInput from './suites/bad-input.mjs';
import documents from './suites/documents.mjs';
import facilitator from './suites/facilitator.mjs';
import loading from './suites/loading.mjs';
import memory from './suites/memory.mjs';
import planReader from './suites/plan-reader.mjs';
import prompts from './suites/prompts.mjs';
import traces from './suites/traces.mjs';

const pkg = await installed();
after(() => pkg.remove());
loading(pkg);
badInput(pkg);
traces(pkg);
facilitator(pkg);
documents(pkg);
planReader(pkg);
prompts(pkg);
memory(pkg);

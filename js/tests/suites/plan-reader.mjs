// The canonical plan without the engine: small, and the same plan that the engine reads.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { test } from 'node:test';
import { planReader } from '../../plan-reader.mjs';
import { root } from '../package.mjs';

const MOST_BYTES = 600_000;

export default function planReaderAlone(pkg) {
  test('the reader of canonical plans is small by itself and reads what the engine reads', () => {
    const { folder, bytes } = planReader();
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
    const { planRead, planWrite } = createRequire(import.meta.url)(path.join(folder, 'plan.js'));
    const text = fs.readFileSync(path.join(root, 'tests', 'plans', 'canonical.md'), 'utf8');
    const [plan, remarks] = JSON.parse(planRead(text));
    const whole = pkg.plan.planParse(text, 'P.md');
    assert.deepEqual([plan, remarks], [whole.plan, whole.remarks]);
    assert.ok(plan.units.length > 1);
    assert.equal(planWrite(text), text);
    assert.equal(planRead('# A document\n'), undefined);
    // A fault has its place.
    const [, [fault]] = JSON.parse(planRead(text.replace('**Kind**: command', '**Kind**: magic')));
    assert.equal(fault.code, 'invalid_value');
  });
}

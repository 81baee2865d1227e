// The viewer in real Chromium. `node --test js/tests/viewer.test.mjs` (after `node js/build.mjs` and `cargo build`).
// Screenshots are written to target/viewer-shots. CHROMIUM names another browser than that of this machine; docs/viewer.md
// says how an older one is had.
import { after, before, suite } from 'node:test';
import * as fs from 'node:fs';
import { browser, demo, PROTOCOLS, shots } from './viewer/common.mjs';
import views from './viewer/views.mjs';
import badInput from './viewer/bad-input.mjs';
import plans from './viewer/plans.mjs';
import dropping from './viewer/dropping.mjs';
import writing from './viewer/writing.mjs';
import changed from './viewer/changed.mjs';
import live from './viewer/live.mjs';
import trying from './viewer/trying.mjs';
import reading from './viewer/reading.mjs';
import screens from './viewer/screens.mjs';
import usage from './viewer/usage.mjs';
import large from './viewer/large.mjs';

suite('the viewer', () => {
  const shared = {};
  before(async () => {
    fs.mkdirSync(shots, { recursive: true });
    shared.browser = await browser();
    console.error(`in Chromium ${shared.browser.version()}`);
    PROTOCOLS.forEach(demo);
  });
  after(async () => shared.browser?.close());
  views(shared);
  reading(shared);
  screens(shared);
  usage(shared);
  large(shared);
  trying(shared);
  badInput(shared);
  plans(shared);
  dropping(shared);
  writing(shared);
  changed(shared);
  live(shared);
});

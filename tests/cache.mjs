// Where the tools of builds and tests are kept that are slow to get: outside of the checkout, so that the next clone finds
// them. ENDSTATE_CACHE names another folder. Nothing in it is needed for long: it may be deleted at any time.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

const home = process.env.ENDSTATE_CACHE
  ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'endstate');

/** The folder of `name`, which says its version; the first time, what `fill` puts into it. A half-filled one is never seen. */
export function cached(name, fill) {
  const folder = path.join(home, name);
  const whole = path.join(folder, '.whole');
  if (fs.existsSync(whole)) return folder;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fill(folder);
  fs.writeFileSync(whole, '');
  return folder;
}

/** Whether `name` is there. */
export const isCached = (name) => fs.existsSync(path.join(home, name, '.whole'));

/** Where `name` would be. */
export const placeOf = (name) => path.join(home, name);

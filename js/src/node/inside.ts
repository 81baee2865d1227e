// Whether this process belongs to a run: what the user says is not said by a run of the mission. Twin of src/native/inside.rs.

import { HostError } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { listed, Places } from './places.js';
import { ancestors, startTime } from './processes.js';
import { readRegular } from './regular.js';

/** Refuses what a run of the mission at `root` says in the name of its user. Throws `own_verdict` with the run. */
export function refuseRun(root: string): void {
  const places = new Places(fs.realpathSync(root));
  const { ENDSTATE_RUN: mark, ENDSTATE_ROOT: of } = process.env;
  const run = mark !== undefined && of === places.root ? mark : started(places);
  if (run !== undefined) throw new HostError('own_verdict', 'command', 'a word of the user', `run ${run}`);
}

/** The run without a result whose process is above this one. */
function started({ engine }: Places): string | undefined {
  const parents = ancestors();
  const runs = path.join(engine, 'runs');
  return listed(runs).find((id) => {
    if (fs.existsSync(path.join(runs, id, 'result.json'))) return false;
    try {
      const { pid, start } = JSON.parse(readRegular(path.join(runs, id, 'record.json')).toString()) as { pid: number; start: string };
      return parents.includes(pid) && startTime(pid) === start;
    } catch {
      return false;
    }
  });
}

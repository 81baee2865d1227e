// The desk: the one mission that a process of pi drives, if it drives one. A mission is no part of a
// conversation, so the desk is none of a session: sessions come and go, are compacted and reloaded, and show what
// is on the desk. Nothing is kept here that is not in the journal; after a crash the next desk opens it from there.

import { answerMission, commandMission, createMission, openMission, peekMission, StopFlag } from 'endstate-core';
import type { Archived } from 'endstate-node';
import type { Command, Config, Ended, Glance, Happening, Host, Mission, View } from 'endstate-core';
import { archiveMission, drivenBy, nodeHost } from 'endstate-node';
import { roleAgent } from './agent.js';
import type { SessionModel } from './agent.js';
import { configOf } from './begin.js';
import { Face } from './face.js';
import type { Live } from './guard.js';
import { asker } from './questions.js';
import { settingsOf } from './settings.js';
import { line, liveItem, restsOn, status, widget } from './widget.js';

/** The name of our widget and of our line in the footer. */
const KEY = 'endstate';
/** The shortest time between two drawings, in milliseconds. */
const DRAW_EVERY = 150;

/** How another mission can be begun where there is one. */
const ROOM = '/endstate archive makes room for another';

/** Whether a mission is the one that this would begin: a document may have been edited since. */
function isOf({ title, protocol }: View, { mission }: Config): boolean {
  const { mission: wanted } = mission.settings as { mission?: unknown };
  return mission.protocol === protocol && typeof wanted === 'string' && wanted.trim() === title.trim();
}

/** Whether an error has this code, whichever copy of the package threw it. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === code;
}

/** See above. */
export class Desk {
  /** What a person sees. */
  readonly face = new Face();
  /** The model of the session, for roles that come. */
  model: SessionModel | undefined;
  #mission: Mission | undefined;
  #root = '';
  #running: Promise<Ended | undefined> | undefined;
  #view: View | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Begins a mission, or goes on with the one that has these words or is of this document, and drives it. Answers once it is under
   * way.
   */
  async begin(root: string, words: string): Promise<void> {
    await this.#free(root);
    const config = configOf(root, words, settingsOf(root));
    try {
      this.#drive(root, await createMission({ host: this.#host(root), config }));
    } catch (error) {
      if (!isCode(error, 'mission_exists')) throw error;
      const { view, continuation } = await this.glance(root);
      if (isOf(view, config)) return this.goOn(root, false);
      const what = continuation === 'done' ? ROOM : `/endstate goes on with it; ${ROOM}`;
      throw new Error(`there is another mission here: “${line(view.title)}”, ${line(view.phase)}: ${what}`, { cause: error });
    }
  }

  /** Whether the mission here has these words. */
  async has(root: string, words: string): Promise<boolean> {
    const glance = await this.glance(root).catch(() => undefined);
    return glance?.view.title.trim() === words.trim();
  }

  /** Moves the mission here aside, so that another can be begun. Throws as `archiveMission`. */
  async archive(root: string, unfinished: boolean): Promise<Archived> {
    await this.#free(root);
    const archived = await archiveMission(root, { unfinished });
    await this.show(root);
    return archived;
  }

  /** Goes on with the mission here; `resume` also if it was paused, stopped or is blocked. */
  async goOn(root: string, resume: boolean): Promise<void> {
    if (this.drives(root) && resume) return this.command(root, { command: 'resume' });
    await this.#free(root);
    const mission = await openMission({ host: this.#host(root) });
    try {
      const continuation = await mission.continuation();
      if (continuation === 'done') throw new Error(`the mission here is done: ${ROOM}`);
      if (resume) await mission.resume();
      else if (continuation !== 'continue' && continuation !== 'await_user_input') {
        throw new Error(`the mission here is ${continuation}: /endstate resume goes on with it, /endstate why says what is in the way`);
      }
    } catch (error) {
      await mission.close();
      throw error;
    }
    this.#drive(root, mission);
  }

  /** Gives a command, whoever drives the mission. */
  async command(root: string, command: Command): Promise<void> {
    const mission = await this.#own(root);
    if (mission !== undefined) await mission.command(command);
    else await commandMission(this.#host(root), command);
  }

  /** Answers a question, whoever drives the mission. If nobody does, this process does from now on. */
  async answer(root: string, words: string, id: string | undefined): Promise<void> {
    const mission = await this.#own(root);
    if (mission !== undefined) {
      await mission.answer(words, id);
      return;
    }
    await answerMission(this.#host(root), words, id);
    if (drivenBy(root) !== undefined) return;
    const { continuation } = await this.glance(root);
    if (continuation === 'continue' || continuation === 'await_user_input') await this.goOn(root, false);
  }

  /** A look at the mission, driven or not. Throws `no_mission`. */
  glance(root: string): Promise<Glance> {
    return peekMission(this.#host(root));
  }

  /** Whether this process drives the mission there. */
  drives(root: string): boolean {
    return this.#mission !== undefined && this.#root === root;
  }

  /** Who works on this tree now, if somebody does. */
  live(root: string): Live | undefined {
    if (this.drives(root)) return { item: this.#view && liveItem(this.#view)?.id };
    const holder = drivenBy(root);
    return holder && { elsewhere: holder.pid };
  }

  /** Waits until the mission rests. */
  async rest(): Promise<void> {
    await this.#running;
  }

  /** Draws what is known; after a start or a compaction, from the journal. */
  async show(root: string): Promise<void> {
    if (!this.drives(root)) {
      try {
        this.#view = (await this.glance(root)).view;
      } catch {
        this.#view = undefined;
      }
    }
    this.#draw(root);
  }

  /** pi ends: so does what runs. The mission can be gone on with where it is. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.face.leave();
    await this.#mission?.close();
    await this.#running;
  }

  #host(root: string): Host {
    const settings = settingsOf(root);
    return nodeHost({ root, agent: roleAgent(settings, () => this.model), ask: asker(() => this.face) });
  }

  /** Our own mission, if it still takes commands. */
  async #own(root: string): Promise<Mission | undefined> {
    if (this.#mission === undefined && this.#running !== undefined) await this.#running;
    return this.drives(root) ? this.#mission : undefined;
  }

  async #free(root: string): Promise<void> {
    if (this.#mission === undefined) await this.#running;
    if (this.#mission === undefined) return;
    const where = this.#root === root ? 'is being driven' : `of ${this.#root} is being driven`;
    throw new Error(`the mission ${where}: /endstate status shows it, /endstate stop ends it`);
  }

  #drive(root: string, mission: Mission): void {
    [this.#mission, this.#root] = [mission, root];
    const unwatch = mission.observe((happening) => this.#happened(happening));
    this.#running = (async () => {
      try {
        const ended = await mission.run({ stop: new StopFlag() });
        this.#view = await mission.status();
        return ended;
      } catch (error) {
        this.say(`endstate: ${error instanceof Error ? error.message : String(error)}`, 'error');
        return undefined;
      } finally {
        // From here on commands open it anew.
        this.#mission = undefined;
        unwatch();
        await mission.close();
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.#draw(root);
        if (this.#view !== undefined) this.#tellRest(this.#view);
      }
    })();
    this.#soon();
  }

  #happened(happening: Happening): void {
    switch (happening.type) {
      case 'notice':
        this.say(happening.text, happening.level);
        break;
      case 'refused':
        this.say(`endstate: refused: ${happening.why instanceof Error ? happening.why.message : String(happening.why)}`, 'warning');
        break;
      case 'report':
        this.say(`endstate: ${happening.report.type.replaceAll('_', ' ')}`, 'info');
        break;
      case 'event':
      case 'question':
      case 'rest':
        break;
    }
    this.#soon();
  }

  #tellRest(view: View): void {
    const questions = view.questions.map((one) => `\nquestion ${one.id}: ${one.text}`).join('');
    const rests = restsOn(view).map((one) => `\n${one}`).join('');
    this.say(`endstate: ${view.continuation}: ${view.phase}: ${view.reason}${rests}${questions}`, view.continuation === 'done' ? 'info' : 'warning');
  }

  /** Says something to the person, if there is one. */
  say(text: string, kind: 'info' | 'warning' | 'error'): void {
    this.face.draw((ui) => ui.notify(text.split('\n').map(line).join('\n'), kind));
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const mission = this.#mission;
      if (mission === undefined) return;
      mission.status().then((view) => {
        this.#view = view;
        this.#draw(this.#root);
      }).catch(() => undefined);
    }, DRAW_EVERY);
  }

  #draw(root: string): void {
    const view = this.#view;
    this.face.draw((ui) => {
      ui.setWidget(KEY, view && widget(view, this.drives(root)));
      ui.setStatus(KEY, view && status(view));
    });
  }
}

// What is known of the chosen item and of the moment that is shown: one panel at a time, asked of the desk when the
// reader has come to rest.
import type { Asked } from './calls';
import { DeskError } from './client';
import { h } from './dom';
import { changesPanel, eventPanel, itemPanel, missionPanel } from './panels';
import { Tabs } from './tabs';
import { whyPanel } from './why';
import type { Picture, Run } from './wire';

interface Hooks {
  seq(): number;
  picture(): Picture | undefined;
  chosen(): string | undefined;
  runs(): Run[];
  go(seq: number): void;
  whatIf(): void;
}

const PANELS: [string, string][] = [['item', 'Item'], ['event', 'Event'], ['why', 'Why'], ['changes', 'Changes'], ['mission', 'Mission']];

export class Inspector {
  #tabs: Tabs;
  #ask: Asked;
  #hooks: Hooks;

  constructor(ask: Asked, hooks: Hooks) {
    [this.#ask, this.#hooks] = [ask, hooks];
    this.#tabs = new Tabs('Inspector', PANELS, () => void this.show(), 'inspector');
  }

  get element(): HTMLElement { return this.#tabs.element; }
  get now(): string { return this.#tabs.now; }

  choose(panel: string): void {
    if (this.#tabs.now === panel) void this.show();
    else this.#tabs.choose(panel);
  }

  async show(): Promise<void> {
    if (!this.#hooks.picture()) return;
    const [seq, panel] = [this.#hooks.seq(), this.#tabs.now];
    const shown = await this.#panel(seq, panel).catch((error: unknown) => h('p', { class: 'quiet' }, this.#why(error)));
    if (seq === this.#hooks.seq() && panel === this.#tabs.now) this.#tabs.fill(shown);
  }

  async #panel(seq: number, panel: string): Promise<HTMLElement> {
    const { chosen, runs, go, whatIf, picture } = this.#hooks;
    switch (panel) {
      case 'item': {
        const id = chosen();
        if (id === undefined) return h('p', { class: 'quiet' }, 'Choose an item in the plan or in the list beside it.');
        return itemPanel(await this.#ask.item(seq, id), runs().filter((run) => run.item === id && run.ordered.seq <= seq), go);
      }
      case 'event': return eventPanel(await this.#ask.told(seq), whatIf);
      case 'why': {
        const [why, [line]] = await Promise.all([this.#ask.why(seq), this.#ask.lines(seq, 1)]);
        return whyPanel(why, go, line);
      }
      case 'changes': return changesPanel(await this.#ask.changes(seq), seq);
      default: return missionPanel(picture()!);
    }
  }

  #why(error: unknown): string {
    if (!(error instanceof DeskError)) return String(error);
    return error.fault.code === 'unknown_item' ? `${this.#hooks.chosen()} is not in the plan at this moment.` : error.message;
  }
}

// The viewer as a component: `mount(element, source)`. It puts everything it needs into a shadow root, so that
// neither the page nor the viewer changes how the other looks.
import { packed } from 'endstate-packed';
import css from './style.css';
import uplotCss from 'uplot/dist/uPlot.min.css';
import { connect, DeskError, type Client } from './client';
import { fill, h, pairs, roleName, time, words } from './dom';
import { Events } from './events';
import { changesPanel, eventPanel, itemPanel, mark, Tabs, whyPanel } from './inspector';
import { List } from './list';
import { connectLive, type Live } from './live';
import { LiveBar } from './livebar';
import { Plan } from './plan';
import { sealOf, showSeal } from './seal';
import { openFiles, type Source } from './source';
import { CONTINUATIONS, GLYPHS } from './status';
import { Timeline } from './timeline';
import { WhatIf } from './whatif';
import type { Chronicle, Opened, Picture, Progress, Scene } from './wire';

export interface Options {
  /** Write the shown event, item and part into the address of the page, and begin there. */
  link?: boolean;
  /** `light` or `dark`; otherwise as the system wants it. */
  theme?: 'light' | 'dark';
  /** The reader wants to open something else; without it there is no button for that. */
  open?: () => void;
}

export interface Viewer {
  /** Shows the moment after this event. */
  go(seq: number): Promise<void>;
  /** Puts it away. */
  close(): void;
  /** The root everything is in. */
  root: ShadowRoot;
  /** For measurements. */
  parts: { plan: Plan; client: Client };
}

const PARTS: [string, string][] = [['plan', 'Plan'], ['timeline', 'Timeline'], ['events', 'Events'], ['whatif', 'What if']];

/** Shows a source inside of an element. */
export async function mount(element: HTMLElement, source: Source, options: Options = {}): Promise<Viewer> {
  const app = new App(element, options);
  await app.start(source);
  return app.viewer();
}

class App {
  #root: ShadowRoot;
  #client: Client;
  #options: Options;
  #live: Live | undefined;
  #top = h('div', { class: 'viewer' });
  #title = h('h1', {}, 'endstate');
  #facts = h('p', { class: 'facts' });
  #seal = h('p', { class: 'seal', role: 'status', 'data-tone': 'plain' }, 'Starting the engine');
  #note = h('p', { class: 'note', hidden: true });
  #said = h('p', { class: 'unseen', 'aria-live': 'polite' });
  #slider = h('input', { type: 'range', min: '0', max: '0', value: '0', 'aria-label': 'Event', class: 'slider' });
  #place = h('output', { class: 'place' });
  #playButton = h('button', { type: 'button', 'aria-label': 'Play', title: 'Play (space)', onclick: () => this.#play() }, '▶');
  #search = h('input', { type: 'search', placeholder: 'Search items', 'aria-label': 'Search items' });
  #critical = h('p', { class: 'quiet critical' });
  #parts: Tabs;
  #inspector: Tabs;
  #plan: Plan;
  #timeline: Timeline;
  #events: Events;
  #whatIf: WhatIf;
  #liveBar: LiveBar;
  #items: List;
  #found: number[] = [];
  #planPart: HTMLElement;
  #scene: Scene | undefined;
  #picture: Picture | undefined;
  #progress: Progress | undefined;
  #told: Chronicle = { runs: [], questions: [] };
  #chosen: string | undefined;
  #seq = 0;
  #wanted = 0;
  #busy: Promise<void> | undefined;
  #following = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #playing: ReturnType<typeof setInterval> | undefined;
  #toldAt = 0;
  #shownAt = 0;
  #scheme = matchMedia('(prefers-color-scheme: dark)');
  #linked = () => this.#readLink();
  #schemed = () => this.#repaint();

  constructor(element: HTMLElement, options: Options) {
    this.#options = options;
    this.#root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    this.#root.adoptedStyleSheets = [uplotCss, css].map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
    this.#client = connect(packed(), (progress) => this.#read(progress), (why) => this.#fault(why));
    const announce = (text: string): void => fill(this.#said, text);
    const go = (seq: number, item?: string): void => {
      if (item !== undefined) this.#choose(item);
      void this.#go(seq);
    };
    const hooks = { seq: () => this.#seq, last: () => this.#last(), go, announce, save };
    const chosen = { get id() { return app.#chosen; }, choose: (id: string) => this.#choose(id), announce };
    const app = this;
    this.#plan = new Plan(chosen);
    this.#timeline = new Timeline(hooks);
    this.#events = new Events(this.#client.ask, hooks);
    this.#whatIf = new WhatIf(this.#client.ask, hooks);
    this.#liveBar = new LiveBar(announce);
    this.#items = new List(this.#itemRows());
    this.#planPart = this.#makePlanPart();
    this.#parts = new Tabs('Parts', PARTS, () => this.#showPart(), 'stage');
    this.#inspector = new Tabs('Inspector', [['item', 'Item'], ['event', 'Event'], ['why', 'Why'], ['changes', 'Changes'], ['mission', 'Mission']], () => void this.#inspect(), 'inspector');
    fill(this.#top, this.#header(), this.#note, this.#liveBar.element,
      h('div', { class: 'body' }, this.#parts.element, this.#inspector.element), this.#scrubber(), this.#said);
    if (options.theme) this.#top.dataset['theme'] = options.theme;
    fill(this.#root as unknown as Element, this.#top);
    this.#search.addEventListener('input', () => this.#find());
    this.#slider.addEventListener('input', () => void this.#go(Number(this.#slider.value)));
    this.#top.addEventListener('keydown', (event) => this.#key(event));
    this.#scheme.addEventListener('change', this.#schemed);
    if (options.link) addEventListener('hashchange', this.#linked);
    this.#showPart();
  }

  viewer(): Viewer {
    return { go: (seq) => this.#go(seq), close: () => this.#close(), root: this.#root, parts: { plan: this.#plan, client: this.#client } };
  }

  async start(source: Source): Promise<void> {
    this.#readLink();
    try {
      await this.#open(source);
    } catch (error) {
      this.#fault(error instanceof DeskError ? `This cannot be shown: ${error.message}` : error instanceof Error ? error.message : String(error));
    }
  }

  async #open(source: Source): Promise<void> {
    const { ask } = this.#client;
    let opened: Opened;
    if ('files' in source) ({ opened } = await openFiles(source.files, { readDocument: ask.readDocument, planRemarks: ask.planRemarks }));
    else if ('journal' in source) opened = { kind: 'journal', blob: source.journal instanceof Blob ? source.journal : new Blob([source.journal as BlobPart]), whole: true };
    else if ('snapshot' in source) opened = { kind: 'snapshot', text: source.snapshot };
    else if ('config' in source) opened = { kind: 'config', config: source.config, note: 'The plan as it would begin.' };
    else opened = await this.#openLive(source.live);
    const fault = await ask.open(opened);
    if (fault) throw new DeskError(fault);
    if (opened.kind === 'journal') {
      this.#live?.follow((bytes) => void ask.append(bytes), () => location.reload(), (on) => this.#liveBar.connected(on));
      return;
    }
    showSeal(this.#seal, 'plain', opened.kind === 'snapshot' ? 'A snapshot is one moment without its history: it breaks no rule of the engine, but there is no chain that could show how it came about.' : opened.note);
    this.#slider.disabled = true;
    await this.#show(0);
    this.#settled();
  }

  async #openLive(base: string): Promise<Opened> {
    this.#live = connectLive(base);
    this.#liveBar.live = this.#live;
    return { kind: 'journal', blob: new Blob([await this.#live.start() as BlobPart]), whole: false };
  }

  #fault(why: string): void {
    showSeal(this.#seal, 'bad', `✖ ${why}`);
  }

  #header(): HTMLElement {
    const theme = h('button', { type: 'button', 'aria-label': 'Light or dark', title: 'Light or dark', onclick: () => this.#turnTheme() }, '◐');
    const help = h('button', { type: 'button', 'aria-label': 'Keys', title: 'Keys (?)', onclick: () => this.#help() }, '?');
    const open = this.#options.open ? h('button', { type: 'button', onclick: this.#options.open }, 'Open…') : null;
    return h('header', {}, h('div', { class: 'bar' }, this.#title, h('div', { class: 'buttons' }, open, theme, help)), this.#facts, this.#seal);
  }

  #scrubber(): HTMLElement {
    const button = (text: string, name: string, to: () => number): HTMLElement =>
      h('button', { type: 'button', 'aria-label': name, title: name, onclick: () => { this.#stop(); void this.#go(to()); } }, text);
    return h('footer', { class: 'scrubber' },
      button('|◀', 'First event', () => 0), button('‹', 'One event back', () => this.#wanted - 1), this.#playButton,
      button('›', 'One event on', () => this.#wanted + 1), button('▶|', 'Last event', () => this.#last()),
      this.#slider, this.#place);
  }

  #makePlanPart(): HTMLElement {
    const button = (text: string, name: string, onclick: () => void): HTMLElement => h('button', { type: 'button', 'aria-label': name, title: name, onclick }, text);
    const legend = h('ul', { class: 'legend', 'aria-label': 'What shapes and colours mean' },
      ...Object.entries(GLYPHS).map(([state, glyph]) => h('li', {}, mark(state, glyph, state))));
    return h('div', { class: 'plan-part' },
      h('div', { class: 'side' }, this.#search, this.#items.element),
      h('div', { class: 'main' },
        h('div', { class: 'tools' }, button('+', 'Zoom in', () => this.#plan.zoom(1.3)), button('−', 'Zoom out', () => this.#plan.zoom(0.77)),
          button('⤢', 'Show all', () => this.#plan.fit()), button('Fold all', 'Fold all lanes', () => this.#plan.foldAll(true)),
          button('Unfold', 'Unfold all lanes', () => this.#plan.foldAll(false)), this.#critical),
        this.#plan.element, legend));
  }

  #last(): number {
    if (!this.#progress) return 0;
    const { state: { lines, divergence } } = this.#progress;
    return Math.max(0, (divergence ? divergence.seq : lines) - 1);
  }

  /** The desk has read on. */
  #read(progress: Progress): void {
    const first = !this.#progress;
    this.#progress = progress;
    const seal = sealOf(progress, this.#live !== undefined);
    showSeal(this.#seal, seal.tone, seal.text);
    const last = this.#last();
    this.#slider.max = String(last);
    this.#events.show(progress.known);
    const now = performance.now();
    if (progress.state.lines > 0 && (progress.idle || first || (now - this.#shownAt > (this.#scene?.nodes.length ? 1200 : 100) && this.#following))) {
      this.#shownAt = now;
      if (this.#following) void this.#go(last, true);
      else void this.#go(this.#wanted);
    }
    this.#placeText();
    if (progress.idle) this.#events.reread();
    if (progress.state.lines > 0 && (progress.idle || now - this.#toldAt > 3000)) {
      this.#toldAt = now;
      void this.#client.ask.chronicle().then((told) => {
        this.#told = told;
        this.#timeline.show(told);
        if (this.#inspector.now === 'item') void this.#inspect();
      });
    }
  }

  /** To the moment after an event; whoever moves on before it is there goes straight on. */
  #go(seq: number, following = false): Promise<void> {
    const known = this.#progress ? this.#last() : seq;
    this.#wanted = Math.max(0, this.#progress?.idle ? Math.min(seq, known) : seq);
    this.#following = following || (this.#progress?.idle === true && this.#wanted === known && this.#live !== undefined);
    if (!this.#progress || this.#progress.state.lines === 0) return Promise.resolve();
    this.#busy ??= this.#catchUp().finally(() => { this.#busy = undefined; });
    return this.#busy;
  }

  async #catchUp(): Promise<void> {
    try {
      for (;;) {
        const wanted = Math.min(this.#wanted, this.#last());
        await this.#show(wanted);
        if (wanted === Math.min(this.#wanted, this.#last())) break;
      }
    } catch (error) {
      this.#fault(error instanceof Error ? error.message : String(error));
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settled(), this.#playing ? 400 : 90);
  }

  async #show(seq: number): Promise<void> {
    const moment = await this.#client.ask.moment(seq, this.#scene?.key);
    const picture = JSON.parse(moment.picture) as Picture;
    const scene = moment.scene === undefined ? undefined : JSON.parse(moment.scene) as Scene;
    this.#seq = seq;
    this.#picture = picture;
    if (scene) {
      this.#scene = scene;
      this.#find();
    }
    this.#plan.show(this.#scene!, picture);
    this.#items.draw(true);
    this.#placeText();
    this.#mission(picture);
    this.#timeline.redraw();
  }

  #placeText(): void {
    const last = this.#last();
    this.#slider.value = String(this.#seq);
    const text = `event ${this.#seq} of ${last}${this.#picture ? ` · ${time(this.#picture.at)}` : ''}`;
    this.#slider.setAttribute('aria-valuetext', text);
    fill(this.#place, text);
  }

  #mission(picture: Picture): void {
    const { glyph, word, tone } = CONTINUATIONS[picture.continuation] ?? { glyph: '·', word: picture.continuation, tone: 'waiting' };
    fill(this.#title, picture.title);
    const { settled, total } = picture.progress;
    fill(this.#facts, mark(tone, glyph, word), ` ${picture.protocol} · ${words(picture.phase)} · ${settled} of ${total} criteria · next: ${picture.next.role ? `${roleName(picture.next.role)}, ` : ''}${picture.next.action || 'nothing'}`);
    const chain = picture.critical.map((at) => this.#scene!.nodes[at]?.id);
    fill(this.#critical, chain.length > 1 ? `Critical path: ${chain.slice(0, 6).join(' → ')}${chain.length > 6 ? ` … (${chain.length})` : ''}` : '');
    this.#top.dataset['seq'] = String(this.#seq);
  }

  /** The reader has come to rest: what costs more than a picture. */
  #settled(): void {
    void this.#inspect();
    this.#events.moved();
    if (this.#parts.now === 'whatif') void this.#whatIf.show();
    if (this.#live && this.#seq === this.#last()) void this.#client.ask.told(this.#seq).then(({ pending }) => this.#liveBar.show(this.#picture!, pending));
    this.#writeLink();
    this.#top.dataset['settled'] = String(this.#seq);
  }

  async #inspect(): Promise<void> {
    if (!this.#picture) return;
    const seq = this.#seq;
    const go = (to: number): void => { void this.#go(to); };
    const panel = async (): Promise<HTMLElement> => {
      switch (this.#inspector.now) {
        case 'item': {
          if (this.#chosen === undefined) return h('p', { class: 'quiet' }, 'Choose an item in the plan or in the list beside it.');
          const item = await this.#client.ask.item(seq, this.#chosen);
          return itemPanel(item, this.#told.runs.filter((run) => run.item === this.#chosen && run.ordered.seq <= seq), go);
        }
        case 'event': return eventPanel(await this.#client.ask.told(seq), () => this.#parts.choose('whatif'));
        case 'why': return whyPanel(await this.#client.ask.why(seq), go);
        case 'changes': return changesPanel(await this.#client.ask.changes(seq), seq);
        default: return missionPanel(this.#picture!);
      }
    };
    const shown = await panel().catch((error: unknown) => h('p', { class: 'quiet' }, error instanceof DeskError && error.fault.code === 'unknown_item' ? `${this.#chosen} is not in the plan at this moment.` : String(error)));
    if (seq === this.#seq) this.#inspector.fill(shown);
  }

  #choose(id: string): void {
    this.#chosen = id;
    this.#plan.reveal(id);
    this.#items.draw(true);
    this.#items.show(this.#found.findIndex((at) => this.#scene?.nodes[at]?.id === id));
    if (this.#inspector.now === 'item') void this.#inspect();
    else this.#inspector.choose('item');
    this.#writeLink();
  }

  #find(): void {
    const wanted = this.#search.value.trim().toLowerCase();
    const all = this.#scene?.nodes ?? [];
    this.#found = [];
    all.forEach((node, at) => {
      if (!wanted || `${node.id} ${node.label} ${this.#picture?.nodes[at]?.[0] ?? ''}`.toLowerCase().includes(wanted)) this.#found.push(at);
    });
    this.#items.rows = this.#itemRows();
    if (wanted) fill(this.#said, `${this.#found.length} items found`);
  }

  #itemRows(): ConstructorParameters<typeof List>[0] {
    return {
      count: this.#found.length, name: 'Items', height: 44,
      chosen: () => this.#found.findIndex((at) => this.#scene?.nodes[at]?.id === this.#chosen),
      choose: (at) => this.#choose(this.#scene!.nodes[this.#found[at]!]!.id),
      row: (at) => {
        const node = this.#scene!.nodes[this.#found[at]!]!;
        const [state, , settled, total] = this.#picture?.nodes[this.#found[at]!] ?? ['waiting' as const, 0, 0, 0];
        return [h('span', { class: 'two' }, h('span', { class: 'one' }, h('strong', {}, node.id)),
          h('span', { class: 'label' }, mark(state, GLYPHS[state], state), ` ${settled}/${total} ${node.label}`))];
      },
    };
  }

  #showPart(): void {
    const part = this.#parts.now;
    this.#parts.fill({ plan: this.#planPart, timeline: this.#timeline.element, events: this.#events.element, whatif: this.#whatIf.element }[part] ?? null);
    if (part === 'plan') this.#plan.redraw();
    if (part === 'timeline') this.#timeline.repaint();
    if (part === 'events') this.#events.moved();
    if (part === 'whatif') void this.#whatIf.show();
    this.#writeLink();
  }

  #play(): void {
    if (this.#playing) return this.#stop();
    if (this.#wanted >= this.#last()) void this.#go(0);
    this.#playButton.textContent = '❚❚';
    this.#playButton.setAttribute('aria-label', 'Pause');
    this.#playing = setInterval(() => {
      if (this.#busy) return;
      if (this.#wanted >= this.#last()) return this.#stop();
      void this.#go(this.#wanted + 1);
    }, 250);
  }

  #stop(): void {
    clearInterval(this.#playing);
    this.#playing = undefined;
    this.#playButton.textContent = '▶';
    this.#playButton.setAttribute('aria-label', 'Play');
  }

  #key(event: KeyboardEvent): void {
    const target = event.composedPath()[0] as HTMLElement;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && target !== this.#slider) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      ',': () => { this.#stop(); void this.#go(this.#wanted - 1); }, '.': () => { this.#stop(); void this.#go(this.#wanted + 1); },
      ' ': () => this.#play(), '/': () => { this.#parts.choose('plan'); this.#search.focus(); }, '?': () => this.#help(),
      '1': () => this.#parts.choose('plan'), '2': () => this.#parts.choose('timeline'), '3': () => this.#parts.choose('events'), '4': () => this.#parts.choose('whatif'),
    };
    const act = keys[event.key];
    if (!act || (event.key === ' ' && target.tagName === 'BUTTON')) return;
    event.preventDefault();
    act();
  }

  #help(): void {
    const dialog = h('dialog', { class: 'help', 'aria-label': 'Keys' }, h('h2', {}, 'Keys'),
      pairs([[', and .', 'one event back, one event on'], ['space', 'play and stop'], ['1 to 4', 'plan, timeline, events, what if'], ['/', 'search items'],
        ['arrows in the plan', 'from item to item; with shift: move the picture'], ['+ − 0', 'larger, smaller, all of it'], ['c in the plan', 'fold the lane of the chosen item'],
        ['arrows in lists and tabs', 'from row to row, from tab to tab']]),
      h('form', { method: 'dialog' }, h('button', {}, 'Close')));
    dialog.addEventListener('close', () => dialog.remove());
    this.#top.append(dialog);
    dialog.showModal();
  }

  #turnTheme(): void {
    const dark = this.#top.dataset['theme'] ? this.#top.dataset['theme'] === 'dark' : this.#scheme.matches;
    this.#top.dataset['theme'] = dark ? 'light' : 'dark';
    this.#repaint();
  }

  #repaint(): void {
    this.#plan.repaint();
    this.#timeline.repaint();
  }

  #readLink(): void {
    if (!this.#options.link) return;
    const told = new URLSearchParams(location.hash.slice(1));
    const [event, item, part] = [told.get('event'), told.get('item'), told.get('part')];
    if (event !== null && /^\d{1,15}$/.test(event) && Number(event) !== this.#wanted) {
      this.#following = false;
      void this.#go(Number(event));
    }
    if (item !== null && item !== this.#chosen) this.#chosen = item;
    if (part !== null && part !== this.#parts.now && PARTS.some(([name]) => name === part)) this.#parts.choose(part);
  }

  #writeLink(): void {
    if (!this.#options.link || !this.#picture) return;
    const told = new URLSearchParams({ event: String(this.#seq), ...(this.#chosen === undefined ? {} : { item: this.#chosen }), part: this.#parts.now });
    history.replaceState(null, '', `#${told}`);
  }

  #close(): void {
    this.#stop();
    clearTimeout(this.#timer);
    this.#live?.close();
    this.#client.close();
    removeEventListener('hashchange', this.#linked);
    this.#scheme.removeEventListener('change', this.#schemed);
    this.#root.replaceChildren();
  }
}

function missionPanel(picture: Picture): HTMLElement {
  return h('div', { class: 'panel' },
    h('h3', {}, picture.title), h('p', {}, picture.reason),
    picture.problem ? h('p', { class: 'note' }, `The last thing that went wrong: ${words(picture.problem.code)} at ${picture.problem.at}: expected ${picture.problem.expected}, got ${picture.problem.got}`) : null,
    picture.end ? pairs([['closed by', picture.end.closed_by], ['waived', picture.end.waived.join(', ') || 'nothing'], ['deferred', picture.end.deferred.join(', ') || 'nothing']]) : null,
    h('h4', {}, 'Live runs'), ...(picture.runs.length ? picture.runs.map((run) => h('p', {}, `${run.run} ${roleName(run.role)}${run.item ? ` on ${run.item}` : ''}: ${run.last_line ?? '…'}`)) : [h('p', { class: 'quiet' }, 'none')]),
    h('h4', {}, 'Open questions'), ...(picture.questions.length ? picture.questions.map((one) => h('p', {}, `${one.id}: ${one.text} (${one.expected})`)) : [h('p', { class: 'quiet' }, 'none')]),
    h('h4', {}, 'Budget'), h('table', {}, h('thead', {}, h('tr', {}, ...['counter', 'spent', 'limit'].map((one) => h('th', { scope: 'col' }, one)))),
      h('tbody', {}, ...picture.budget.map((one) => h('tr', {}, h('td', {}, words(one.counter)), h('td', { class: 'num' }, String(one.spent)), h('td', { class: 'num' }, String(one.limit)))))),
    h('h4', {}, 'Counted on the way'), pairs(picture.tallies.map((one) => [words(one.name), String(one.count)])));
}

/** Hands a file to the reader. */
function save(name: string, content: Uint8Array): void {
  const url = URL.createObjectURL(new Blob([content as BlobPart], { type: 'application/jsonl' }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

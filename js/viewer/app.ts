// The viewer as a component: `mount(element, source)`. It puts everything it needs into a shadow root, so that
// neither the page nor the viewer changes how the other looks. Here is what moves between the desk, which has the
// engine, and the parts, which each draw one thing.
import { documents, engine, script } from 'endstate-parts';
import css from './style.css';
import uplotCss from 'uplot/dist/uPlot.min.css';
import { connect, DeskError, type Client } from './client';
import { fill, h, save, time } from './dom';
import { Events } from './events';
import { Heading } from './heading';
import { Inspector } from './inspector';
import { handle, help, type Keys } from './keys';
import { readLink, writeLink } from './link';
import { connectLive, type Live } from './live';
import { LiveBar } from './livebar';
import type { Plan } from './plan';
import { PlanPart } from './planpart';
import { ReviewPart } from './review';
import { Scrubber } from './scrubber';
import { sealOf, type Found } from './seal';
import { openedOf, type Source } from './source';
import { Tabs } from './tabs';
import { Timeline } from './timeline';
import { Walker } from './walker';
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
/** While a journal is being read, its newest moment is shown again after so many milliseconds, once there is a plan to be seen. */
const SELDOM = 1200;
/** How often what is told of runs is asked for while a journal is being read. */
const TELLING = 3000;
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
  #said = h('p', { class: 'unseen', 'aria-live': 'polite' });
  #heading: Heading;
  #parts: Tabs;
  #inspector: Inspector;
  #plan: PlanPart;
  #timeline: Timeline;
  #events: Events;
  #whatIf: WhatIf;
  #review = new ReviewPart();
  #liveBar: LiveBar;
  #scrubber: Scrubber;
  #scene: Scene | undefined;
  #picture: Picture | undefined;
  #progress: Progress | undefined;
  #found: Found = {};
  /** The event that the address names. */
  #asked = 0;
  #told: Chronicle = { runs: [], questions: [] };
  #chosen: string | undefined;
  #seq = 0;
  /** Of a mission that is followed: whether a driver is alive, and whether it is over. */
  #alive: boolean | undefined;
  #over = false;
  #walker: Walker;
  #toldAt = 0;
  #shownAt = 0;
  #scheme = matchMedia('(prefers-color-scheme: dark)');
  #linked = () => this.#readLink();
  #keyed = (event: KeyboardEvent) => handle(event, this.#keys, this.#scrubber.slider);
  /** A page of its own is there for nothing else: its keys work before anything has the focus. */
  #pageKeyed = (event: KeyboardEvent) => event.target === document.body && this.#keyed(event);
  #schemed = () => this.#repaint();

  constructor(element: HTMLElement, options: Options) {
    this.#options = options;
    this.#root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    this.#root.adoptedStyleSheets = [uplotCss, css].map(sheet);
    this.#client = connect({ engine, documents, script }, (progress) => this.#read(progress), (why) => this.#fault(why));
    const { ask } = this.#client;
    const announce = (text: string): void => fill(this.#said, text);
    const go = (seq: number, item?: string): void => {
      if (item !== undefined) this.#choose(item);
      void this.#walker.go(seq);
    };
    const [seq, last, chosen] = [() => this.#seq, () => this.#last(), () => this.#chosen];
    const hooks = { seq, last, go, announce, save };
    this.#heading = new Heading({ open: options.open, theme: () => this.#turnTheme(), help: () => help(this.#top) });
    this.#plan = new PlanPart({ chosen, choose: (id) => this.#choose(id), announce });
    this.#timeline = new Timeline(ask, hooks);
    this.#events = new Events(ask, hooks);
    this.#whatIf = new WhatIf(ask, hooks);
    this.#liveBar = new LiveBar(announce);
    this.#walker = new Walker({
      last: () => (this.#progress && this.#progress.state.lines > 0 ? this.#last() : undefined), idle: () => this.#progress?.idle === true,
      live: () => this.#live !== undefined, playing: () => this.#scrubber.playing,
      show: (to) => this.#show(to), rested: () => this.#settled(), fault: (why) => this.#fault(why),
    });
    this.#scrubber = new Scrubber({ go, last, wanted: () => this.#walker.wanted, busy: () => this.#walker.busy });
    this.#parts = new Tabs('Parts', PARTS, () => this.#showPart(), 'stage');
    this.#inspector = new Inspector(ask, {
      seq, chosen, go, picture: () => this.#picture, runs: () => this.#told.runs, whatIf: () => this.#parts.choose('whatif'),
    });
    this.#lay();
  }

  #lay(): void {
    const { theme, link } = this.#options;
    fill(this.#top, this.#heading.element, this.#liveBar.element,
      h('div', { class: 'body' }, this.#parts.element, this.#inspector.element), this.#scrubber.element, this.#said);
    if (theme) this.#top.dataset['theme'] = theme;
    fill(this.#root as unknown as Element, this.#top);
    this.#top.addEventListener('keydown', this.#keyed);
    this.#scheme.addEventListener('change', this.#schemed);
    if (link) {
      addEventListener('hashchange', this.#linked);
      addEventListener('keydown', this.#pageKeyed);
    }
    this.#showPart();
  }

  viewer(): Viewer {
    return { go: (seq) => this.#walker.go(seq), close: () => this.#close(), root: this.#root, parts: { plan: this.#plan.plan, client: this.#client } };
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
    const opened = 'live' in source ? await this.#openLive(source) : await openedOf(source, ask);
    this.#found = opened;
    const fault = await ask.open(opened);
    if (fault) throw new DeskError(fault);
    if (opened.kind === 'journal') {
      this.#live?.follow({
        piece: (bytes) => void ask.append(bytes), again: () => this.#again(), state: (state) => this.#liveBar.connected(state),
        driver: (alive) => { this.#alive = alive; this.#drive(); },
      });
      return;
    }
    const note = opened.kind === 'snapshot' ? 'A snapshot is one moment without its history: it breaks no rule of the engine, but there is no chain that could show how it came about.' : opened.note;
    this.#heading.seal('plain', opened.remark ? `${note} ${opened.remark}` : note);
    await this.#show(0);
    this.#scrubber.still(opened.kind === 'snapshot' ? `a snapshot of event ${this.#picture!.seq} · ${time(this.#picture!.at)}` : 'before the first event');
    this.#whatIf.still = opened.kind;
    if (opened.review) {
      this.#review.show(opened.review);
      this.#parts.add('import', 'Import');
    }
    this.#settled();
  }

  /** The journal that is followed was begun anew or cut: what is shown is another's. */
  #again(): void {
    if (this.#options.link) return location.reload();
    this.#live?.close();
    this.#fault('The journal was begun anew or cut. What is shown is what it was before; open it again.');
  }

  async #openLive({ live, snapshot }: Extract<Source, { live: string }>): Promise<Opened> {
    this.#live = connectLive(live);
    this.#liveBar.live = this.#live;
    return { kind: 'journal', blob: new Blob([await this.#live.start() as BlobPart]), whole: false, ...(snapshot !== undefined && { beside: snapshot }) };
  }

  #fault(why: string): void {
    this.#heading.seal('bad', `✖ ${why}`);
  }

  #last(): number {
    if (!this.#progress) return 0;
    const { state: { lines, divergence } } = this.#progress;
    return Math.max(0, (divergence ? divergence.seq : lines) - 1);
  }

  #seal(progress: Progress): void {
    const { tone, text } = sealOf(progress, this.#live !== undefined, this.#found);
    const beyond = progress.idle && progress.state.lines > 0 && this.#asked > this.#last();
    this.#heading.seal(tone, beyond ? `${text} The address names event ${this.#asked}, which is not there: the last that can be shown is ${this.#last()}.` : text);
  }

  /** The desk has read on. */
  #read(progress: Progress): void {
    const first = !this.#progress;
    this.#progress = progress;
    this.#seal(progress);
    const last = this.#last();
    this.#scrubber.reach(last);
    this.#events.show(progress.known);
    const now = performance.now();
    const due = (!this.#scene?.nodes.length || now - this.#shownAt > SELDOM) && this.#walker.following;
    if (progress.state.lines > 0 && (progress.idle || first || due)) {
      this.#shownAt = now;
      if (this.#walker.following) void this.#walker.go(last, true);
      else void this.#walker.go(this.#walker.wanted);
    }
    this.#place();
    if (progress.idle) this.#events.reread();
    if (progress.idle && this.#live) void this.#listen();
    if (progress.state.lines > 0 && (progress.idle || now - this.#toldAt > TELLING)) void this.#tell(now);
  }

  /** What the mission asks now, whatever moment is looked at. */
  async #listen(): Promise<void> {
    const last = this.#last();
    const pending = await this.#client.ask.pending(last).catch(() => undefined);
    if (pending && last === this.#last()) this.#liveBar.show(pending);
  }

  /** What there is to tell of runs and questions. */
  async #tell(now: number): Promise<void> {
    this.#toldAt = now;
    this.#told = await this.#client.ask.chronicle();
    this.#timeline.show(this.#told);
    if (this.#inspector.now === 'item') void this.#inspector.show();
  }

  async #show(seq: number): Promise<void> {
    const moment = await this.#client.ask.moment(seq, this.#scene?.key);
    const picture = JSON.parse(moment.picture) as Picture;
    if (moment.scene !== undefined) this.#scene = JSON.parse(moment.scene) as Scene;
    this.#seq = seq;
    this.#picture = picture;
    this.#plan.show(this.#scene!, picture);
    this.#drive();
    this.#place();
    this.#top.dataset['seq'] = String(seq);
    this.#timeline.redraw();
  }

  /** How the mission stands; of its newest moment also whether anybody drives it. */
  #drive(): void {
    if (!this.#picture) return;
    const now = this.#seq === this.#last();
    this.#heading.show(this.#picture, now && this.#alive === false);
    if (now) this.#over = this.#picture.continuation === 'done';
    this.#liveBar.driven(this.#alive, this.#over);
  }

  #place(): void {
    if (this.#progress) this.#scrubber.show(this.#seq, this.#last(), this.#picture?.at);
  }

  /** The reader has come to rest: what costs more than a picture. */
  #settled(): void {
    void this.#inspector.show();
    this.#events.moved();
    if (this.#parts.now === 'whatif') void this.#whatIf.show();
    this.#writeLink();
    this.#top.dataset['settled'] = String(this.#seq);
  }

  #choose(id: string): void {
    this.#chosen = id;
    this.#plan.choose(id);
    this.#inspector.choose('item');
    this.#writeLink();
  }

  #showPart(): void {
    const part = this.#parts.now;
    this.#parts.fill({ plan: this.#plan.element, timeline: this.#timeline.element, events: this.#events.element, whatif: this.#whatIf.element, import: this.#review.element }[part] ?? null);
    if (part === 'plan') this.#plan.seen();
    if (part === 'timeline') this.#timeline.repaint();
    if (part === 'events') this.#events.moved();
    if (part === 'whatif' && this.#picture) void this.#whatIf.show();
    this.#writeLink();
  }

  #keys: Keys = {
    ',': () => this.#scrubber.step(-1), '.': () => this.#scrubber.step(1), ' ': () => this.#scrubber.play(),
    '/': () => { this.#parts.choose('plan'); this.#plan.items.search.focus(); }, '?': () => help(this.#top),
    ...Object.fromEntries(PARTS.map(([part], at) => [String(at + 1), () => this.#parts.choose(part)])),
  };

  #turnTheme(): void {
    const dark = this.#top.dataset['theme'] ? this.#top.dataset['theme'] === 'dark' : this.#scheme.matches;
    this.#top.dataset['theme'] = dark ? 'light' : 'dark';
    this.#repaint();
  }

  #repaint(): void {
    this.#plan.plan.repaint();
    this.#timeline.repaint();
  }

  #readLink(): void {
    if (!this.#options.link) return;
    const { event, item, part } = readLink(location.hash);
    this.#asked = event ?? 0;
    if (this.#progress) this.#seal(this.#progress);
    if (event !== undefined && event !== this.#walker.wanted) {
      this.#walker.following = false;
      void this.#walker.go(event);
    }
    if (item !== undefined && item !== this.#chosen) {
      this.#chosen = item;
      this.#plan.choose(item);
      this.#inspector.choose('item');
    }
    if (part !== undefined && part !== this.#parts.now) this.#parts.choose(part);
  }

  #writeLink(): void {
    if (!this.#options.link || !this.#picture) return;
    writeLink({ event: this.#seq, part: this.#parts.now, ...(this.#chosen === undefined ? {} : { item: this.#chosen }) });
  }

  #close(): void {
    this.#scrubber.stop();
    this.#walker.stop();
    this.#live?.close();
    this.#client.close();
    removeEventListener('hashchange', this.#linked);
    removeEventListener('keydown', this.#pageKeyed);
    this.#scheme.removeEventListener('change', this.#schemed);
    this.#root.replaceChildren();
  }
}

function sheet(text: string): CSSStyleSheet {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

// What ran when: one row per role or per item, a bar per run, a diamond per question, and a line at the moment
// that is shown. Beneath it the sum of tokens and cost, where runs report them.
import { UsageChart } from './chart';
import { h, duration, roleName, visible } from './dom';
import { fitCanvas } from './camera';
import { List } from './list';
import { questionRow, runRow } from './runrows';
import { drawShape, OUTCOMES, palette } from './status';
import type { Asked } from './calls';
import type { Chronicle, Question, Run, Verdict } from './wire';

const [ROW, HEAD] = [26, 24];
/** The most verdicts that are asked for at once. */
const MOST_VERDICTS = 400;

interface Hooks { seq(): number; last(): number; go(seq: number, item?: string): void; announce(text: string): void }

type Bar = { run: Run } | { question: Question };

export class Timeline {
  element: HTMLElement;
  canvas = h('canvas', { class: 'picture', role: 'img', 'tabindex': '0', 'aria-label': 'Runs by role over the events of the journal. The list beneath has every run.' });
  #frame = h('div', { class: 'gantt' }, this.canvas);
  #usage = new UsageChart();
  #list: List;
  #hooks: Hooks;
  #told: Chronicle = { runs: [], questions: [] };
  #rows: { name: string; bars: Bar[] }[] = [];
  #by: 'role' | 'item' = 'role';
  #axis: 'event' | 'time' = 'event';
  #span: [number, number] = [0, 1];
  #whole: [number, number] = [0, 1];
  #scroll = 0;
  #chosen = -1;
  #waiting = false;
  #ask: Asked;
  /** Verdicts by the events that ended their runs; `null` where there is none, nothing where it is not known yet. */
  #verdicts = new Map<number, Verdict | null>();
  #unknown = new Set<number>();
  /** More bars are in sight than can be told apart. */
  #dense = false;

  constructor(ask: Asked, hooks: Hooks) {
    [this.#ask, this.#hooks] = [ask, hooks];
    this.#list = new List(this.#listed());
    const option = (value: string, text: string): HTMLOptionElement => h('option', { value }, text);
    const by = h('select', { 'aria-label': 'Rows', onchange: () => { this.#by = by.value as 'role'; this.#arrange(); } },
      option('role', 'by role'), option('item', 'by item'));
    const axis = h('select', { 'aria-label': 'Axis', onchange: () => { this.#axis = axis.value as 'event'; this.#arrange(); } },
      option('event', 'by event'), option('time', 'by time'));
    const button = (text: string, name: string, onclick: () => void): HTMLElement => h('button', { type: 'button', 'aria-label': name, title: name, onclick }, text);
    this.element = h('div', { class: 'timeline' },
      h('div', { class: 'tools' }, by, axis,
        button('+', 'Zoom in', () => this.#zoom(0.6)), button('−', 'Zoom out', () => this.#zoom(1.7)),
        button('⤢', 'Show all', () => { this.#span = [...this.#whole]; this.redraw(); }),
        h('span', { class: 'quiet' }, '✔ success  ◐ partial  ✖ failed  ∅ lost  ◆ question; the small ✔ or ✖ beneath is a verdict')),
      this.#frame, this.#usage.element, h('h3', {}, 'Runs and questions'), this.#list.element);
    fitCanvas(this.canvas, () => { this.redraw(); this.#used(); });
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey || event.altKey) this.#zoom(Math.exp(event.deltaY * 0.002), event.offsetX);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.#move((event.deltaX || event.deltaY) / this.canvas.clientWidth);
      else this.#scroll = Math.max(0, Math.min(this.#scroll + event.deltaY, this.#rows.length * ROW - this.#frame.clientHeight + HEAD + 8));
      this.redraw();
    }, { passive: false });
    this.canvas.addEventListener('click', (event) => this.#click(event.offsetX, event.offsetY));
    this.canvas.addEventListener('keydown', (event) => this.#key(event));
  }

  show(told: Chronicle): void {
    this.#told = told;
    // Nothing was there to be read when a line was not yet whole.
    this.#unknown.clear();
    this.#arrange();
  }

  repaint(): void {
    this.redraw();
    this.#list.draw(true);
    this.#used();
  }

  redraw(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => { this.#waiting = false; this.#paint(); });
  }

  #used(): void {
    this.#usage.show(this.#told.runs, this.#hooks.seq(), this.#hooks.last());
  }

  /** The verdict of a run that ended; asked of the desk if it is not known, all of one drawing together. */
  #verdict({ ended, outcome }: Run): Verdict | null | undefined {
    if (!ended || !outcome) return null;
    const known = this.#verdicts.get(ended.seq);
    if (known === undefined && !this.#dense) {
      if (this.#unknown.size === 0) queueMicrotask(() => void this.#learn());
      if (this.#unknown.size < MOST_VERDICTS) this.#unknown.add(ended.seq);
    }
    return known;
  }

  async #learn(): Promise<void> {
    const seqs = [...this.#unknown];
    const told = await this.#ask.verdicts(seqs).catch(() => seqs.map(() => null));
    seqs.forEach((seq, at) => this.#verdicts.set(seq, told[at] ?? null));
    this.#unknown.clear();
    this.redraw();
    this.#list.draw(true);
  }

  /** How much room the names have. */
  get #left(): number {
    return this.canvas.clientWidth < 560 ? 96 : 170;
  }

  #x(seq: number, at: number): number {
    return this.#axis === 'event' ? seq : at;
  }

  #ends(bar: Bar): [number, number] {
    if ('question' in bar) {
      const at = this.#x(bar.question.asked.seq, bar.question.asked.at);
      const end = bar.question.answered;
      return [at, end ? this.#x(end.seq, end.at) : this.#whole[1]];
    }
    const { started, ordered, ended } = bar.run;
    const from = started ?? ordered;
    const withdrawn = !ended && !started;
    const to = ended ? this.#x(ended.seq, ended.at) : withdrawn ? this.#x(from.seq, from.at) : this.#whole[1];
    return [this.#x(from.seq, from.at), to];
  }

  #arrange(): void {
    const rows = new Map<string, Bar[]>();
    const put = (name: string, bar: Bar): void => { (rows.get(name) ?? rows.set(name, []).get(name)!).push(bar); };
    for (const run of this.#told.runs) put(this.#by === 'role' ? run.role : run.item ?? 'no item', { run });
    for (const question of this.#told.questions) put('questions', { question });
    this.#rows = [...rows].map(([name, bars]) => ({ name, bars }));
    const moments = [...this.#told.runs.flatMap((run) => [run.ordered, run.ended]), ...this.#told.questions.flatMap((one) => [one.asked, one.answered])]
      .filter((one) => one !== null);
    let [least, most] = [Infinity, -Infinity];
    for (const moment of moments) {
      const x = this.#x(moment.seq, moment.at);
      if (x < least) least = x;
      if (x > most) most = x;
    }
    if (this.#axis === 'event') [least, most] = [0, Math.max(1, this.#hooks.last())];
    if (!(most > least)) [least, most] = [0, 1];
    const same = this.#whole[0] === least && this.#whole[1] === most;
    this.#whole = [least, most];
    if (!same) this.#span = [least, most];
    this.#frame.style.height = `${Math.min(Math.max(this.#rows.length, 2) * ROW + HEAD + 8, 420)}px`;
    this.#list.rows = this.#listed();
    this.redraw();
    this.#used();
  }

  #zoom(factor: number, x = this.canvas.clientWidth / 2): void {
    const [from, to] = this.#span;
    const left = this.#left;
    const share = Math.max(0, (x - left) / Math.max(1, this.canvas.clientWidth - left));
    const middle = from + (to - from) * share;
    this.#span = [Math.max(this.#whole[0], middle - (middle - from) * factor), Math.min(this.#whole[1], middle + (to - middle) * factor)];
    if (this.#span[1] - this.#span[0] < 2) this.#span[1] = this.#span[0] + 2;
    this.redraw();
  }

  #move(share: number): void {
    const [from, to] = this.#span;
    const by = Math.max(this.#whole[0] - from, Math.min(this.#whole[1] - to, (to - from) * share));
    this.#span = [from + by, to + by];
    this.redraw();
  }

  #paint(): void {
    this.#usage.moment(this.#hooks.seq());
    const pen = this.canvas.getContext('2d', { alpha: false })!;
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [this.canvas.width / ratio, this.canvas.height / ratio];
    const colours = palette(this.element);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, width, height);
    const [from, to] = this.#span;
    const left = this.#left;
    const place = (x: number): number => left + ((x - from) / (to - from)) * (width - left - 10);
    let seen = 0;
    this.#rows.forEach((row, number) => {
      const y = HEAD + number * ROW - this.#scroll;
      if (y + ROW < HEAD || y > height) return;
      pen.fillStyle = number % 2 ? colours.paper : colours.lane;
      pen.fillRect(0, y, width, ROW);
      for (const bar of row.bars) {
        const [start, end] = this.#ends(bar);
        const [a, b] = [place(start), place(end)];
        if (b < left || a > width) continue;
        seen += 1;
        this.#bar(pen, bar, Math.max(a, left), Math.max(b, a + 3, left), y, colours);
      }
      pen.fillStyle = number % 2 ? colours.paper : colours.lane;
      pen.fillRect(0, y, left - 6, ROW);
      pen.fillStyle = colours.ink;
      pen.font = '12px system-ui, sans-serif';
      const name = visible(roleName(row.name));
      const most = left > 100 ? 24 : 13;
      pen.fillText(name.length > most ? `${name.slice(0, most - 1)}…` : name, 8, y + 17);
    });
    this.#dense = seen > MOST_VERDICTS;
    pen.fillStyle = colours.raised;
    pen.fillRect(0, 0, width, HEAD);
    pen.fillStyle = colours.quiet;
    const marks = Math.max(1, Math.min(6, Math.floor((width - left) / 80)));
    for (let step = 0; step <= marks; step += 1) {
      const x = from + ((to - from) * step) / marks;
      const text = this.#axis === 'event' ? String(Math.round(x)) : `+${duration(Math.round(x - this.#whole[0]))}`;
      pen.textAlign = step === marks ? 'right' : step === 0 ? 'left' : 'center';
      pen.fillText(text, place(x), 16);
    }
    pen.textAlign = 'left';
    const now = this.#axis === 'event' ? this.#hooks.seq() : this.#timeOf(this.#hooks.seq());
    const x = place(now);
    if (x >= left - 1) {
      pen.fillStyle = colours.accent;
      pen.fillRect(x - 1, 0, 2, height);
    }
  }

  /** The time of an event, as near as the runs tell it. */
  #timeOf(seq: number): number {
    let best = this.#whole[0];
    for (const run of this.#told.runs) for (const one of [run.ordered, run.started, run.ended]) if (one && one.seq <= seq && one.at > best) best = one.at;
    return best;
  }

  #bar(pen: CanvasRenderingContext2D, bar: Bar, a: number, b: number, y: number, colours: ReturnType<typeof palette>): void {
    if ('question' in bar) {
      const { fill: paper, line, ink } = colours.states.verifying;
      pen.fillStyle = paper;
      pen.fillRect(a, y + 10, b - a, 6);
      pen.fillStyle = line;
      pen.beginPath();
      pen.moveTo(a, y + 5);
      pen.lineTo(a + 8, y + 13);
      pen.lineTo(a, y + 21);
      pen.lineTo(a - 8, y + 13);
      pen.fill();
      pen.fillStyle = ink;
      return;
    }
    const { glyph, tone } = bar.run.outcome ? OUTCOMES[bar.run.outcome]! : { glyph: '▶', tone: 'active' };
    const { fill: paper, line, ink } = colours.states[tone as 'done'];
    pen.fillStyle = b - a < 6 ? line : paper;
    const verdict = this.#verdict(bar.run);
    pen.fillRect(a, y + 4, b - a, ROW - (verdict ? 15 : 8));
    if (verdict) this.#verdictMark(pen, verdict, (a + b) / 2, y + ROW - 6, colours);
    if (b - a < 6) return;
    pen.strokeStyle = line;
    pen.lineWidth = 1;
    pen.strokeRect(a, y + 4, b - a, ROW - (verdict ? 15 : 8));
    if (b - a < 18 || verdict) return;
    pen.fillStyle = ink;
    pen.font = '11px system-ui, sans-serif';
    const text = `${glyph} ${visible(this.#by === 'role' ? bar.run.item ?? '' : roleName(bar.run.role))}`;
    pen.fillText(b - a > text.length * 7 ? text : glyph, a + 5, y + 17);
  }

  #verdictMark(pen: CanvasRenderingContext2D, { yes }: Verdict, x: number, y: number, colours: ReturnType<typeof palette>): void {
    const state = yes ? 'done' : 'blocked';
    pen.fillStyle = pen.strokeStyle = colours.states[state].line;
    drawShape(pen, state, x, y, 8);
  }

  #click(x: number, y: number): void {
    const row = this.#rows[Math.floor((y - HEAD + this.#scroll) / ROW)];
    const [from, to] = this.#span;
    const at = from + ((x - this.#left) / (this.canvas.clientWidth - this.#left - 10)) * (to - from);
    const slack = ((to - from) / this.canvas.clientWidth) * 6;
    const hit = x < this.#left ? undefined : row?.bars.find((bar) => {
      const [start, end] = this.#ends(bar);
      return at >= start - slack && at <= end + slack;
    });
    if (hit) return this.#choose(hit);
    if (x >= this.#left && this.#axis === 'event') this.#hooks.go(Math.round(at));
  }

  #key(event: KeyboardEvent): void {
    const act: Record<string, () => void> = {
      '+': () => this.#zoom(0.6), '=': () => this.#zoom(0.6), '-': () => this.#zoom(1.7),
      '0': () => { this.#span = [...this.#whole]; this.redraw(); },
      ArrowLeft: () => this.#move(-0.2), ArrowRight: () => this.#move(0.2),
    };
    if (!act[event.key]) return;
    act[event.key]!();
    event.preventDefault();
    event.stopPropagation();
  }

  #choose(bar: Bar): void {
    const moment = 'run' in bar ? bar.run.ended ?? bar.run.started ?? bar.run.ordered : bar.question.answered ?? bar.question.asked;
    this.#hooks.go(moment.seq, 'run' in bar ? bar.run.item ?? undefined : undefined);
  }

  #listed(): ConstructorParameters<typeof List>[0] {
    const all: Bar[] = [...this.#told.runs.map((run) => ({ run })), ...this.#told.questions.map((question) => ({ question }))];
    const first = (bar: Bar): number => ('run' in bar ? bar.run.ordered.seq : bar.question.asked.seq);
    all.sort((a, b) => first(a) - first(b));
    return {
      count: all.length, name: 'Runs and questions', height: 28,
      chosen: () => this.#chosen,
      choose: (at) => { this.#chosen = at; this.#choose(all[at]!); },
      row: (at) => ('run' in all[at]! ? runRow(all[at].run, this.#verdict(all[at].run)) : questionRow((all[at] as { question: Question }).question)),
    };
  }
}

// What ran when: one row per role or per item, a bar per run, a diamond per question, and a line at the moment
// that is shown. Beneath it the sum of tokens and cost, where runs report them.
import uPlot from 'uplot';
import { fill, h, duration, roleName, words } from './dom';
import { fitCanvas } from './camera';
import { List } from './list';
import { OUTCOMES, palette } from './status';
import type { Chronicle, Question, Run } from './wire';

const [LEFT, ROW, HEAD] = [170, 26, 24];

interface Hooks { seq(): number; last(): number; go(seq: number, item?: string): void; announce(text: string): void }

type Bar = { run: Run } | { question: Question };

export class Timeline {
  element: HTMLElement;
  canvas = h('canvas', { class: 'picture', role: 'img', 'tabindex': '0', 'aria-label': 'Runs by role over the events of the journal. The list beneath has every run.' });
  #frame = h('div', { class: 'gantt' }, this.canvas);
  #chartPlace = h('div', { class: 'chart' });
  #chart: uPlot | undefined;
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

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
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
        h('span', { class: 'quiet' }, '✔ success  ◐ partial  ✖ failed  ∅ lost  ◆ question')),
      this.#frame, this.#chartPlace, h('h3', {}, 'Runs and questions'), this.#list.element);
    fitCanvas(this.canvas, () => { this.redraw(); this.#plot(); });
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
    this.#arrange();
  }

  repaint(): void {
    this.redraw();
    this.#plot();
  }

  redraw(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => { this.#waiting = false; this.#paint(); });
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
    this.#plot();
  }

  #zoom(factor: number, x = this.canvas.clientWidth / 2): void {
    const [from, to] = this.#span;
    const share = Math.max(0, (x - LEFT) / Math.max(1, this.canvas.clientWidth - LEFT));
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
    const pen = this.canvas.getContext('2d', { alpha: false })!;
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [this.canvas.width / ratio, this.canvas.height / ratio];
    const colours = palette(this.element);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, width, height);
    const [from, to] = this.#span;
    const place = (x: number): number => LEFT + ((x - from) / (to - from)) * (width - LEFT - 10);
    this.#rows.forEach((row, number) => {
      const y = HEAD + number * ROW - this.#scroll;
      if (y + ROW < HEAD || y > height) return;
      pen.fillStyle = number % 2 ? colours.paper : colours.lane;
      pen.fillRect(0, y, width, ROW);
      for (const bar of row.bars) {
        const [start, end] = this.#ends(bar);
        const [a, b] = [place(start), place(end)];
        if (b < LEFT || a > width) continue;
        this.#bar(pen, bar, Math.max(a, LEFT), Math.max(b, a + 3, LEFT), y, colours);
      }
      pen.fillStyle = number % 2 ? colours.paper : colours.lane;
      pen.fillRect(0, y, LEFT - 6, ROW);
      pen.fillStyle = colours.ink;
      pen.font = '12px system-ui, sans-serif';
      const name = roleName(row.name);
      pen.fillText(name.length > 24 ? `${name.slice(0, 23)}…` : name, 8, y + 17);
    });
    pen.fillStyle = colours.raised;
    pen.fillRect(0, 0, width, HEAD);
    pen.fillStyle = colours.quiet;
    for (let step = 0; step <= 6; step += 1) {
      const x = from + ((to - from) * step) / 6;
      const text = this.#axis === 'event' ? String(Math.round(x)) : `+${duration(Math.round(x - this.#whole[0]))}`;
      pen.textAlign = step === 6 ? 'right' : step === 0 ? 'left' : 'center';
      pen.fillText(text, place(x), 16);
    }
    pen.textAlign = 'left';
    const now = this.#axis === 'event' ? this.#hooks.seq() : this.#timeOf(this.#hooks.seq());
    const x = place(now);
    if (x >= LEFT - 1) {
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
    pen.fillRect(a, y + 4, b - a, ROW - 8);
    if (b - a < 6) return;
    pen.strokeStyle = line;
    pen.lineWidth = 1;
    pen.strokeRect(a, y + 4, b - a, ROW - 8);
    if (b - a < 18) return;
    pen.fillStyle = ink;
    pen.font = '11px system-ui, sans-serif';
    const text = `${glyph} ${this.#by === 'role' ? bar.run.item ?? '' : roleName(bar.run.role)}`;
    pen.fillText(b - a > text.length * 7 ? text : glyph, a + 5, y + 17);
  }

  #click(x: number, y: number): void {
    const row = this.#rows[Math.floor((y - HEAD + this.#scroll) / ROW)];
    const [from, to] = this.#span;
    const at = from + ((x - LEFT) / (this.canvas.clientWidth - LEFT - 10)) * (to - from);
    const slack = ((to - from) / this.canvas.clientWidth) * 6;
    const hit = x < LEFT ? undefined : row?.bars.find((bar) => {
      const [start, end] = this.#ends(bar);
      return at >= start - slack && at <= end + slack;
    });
    if (hit) return this.#choose(hit);
    if (x >= LEFT && this.#axis === 'event') this.#hooks.go(Math.round(at));
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
      row: (at) => ('run' in all[at]! ? runRow(all[at].run) : questionRow((all[at] as { question: Question }).question)),
    };
  }

  #plot(): void {
    const ended = this.#told.runs.filter((run) => run.ended && (run.usage.tokens > 0 || run.usage.cost_micros > 0));
    this.#chart?.destroy();
    this.#chart = undefined;
    this.#chartPlace.hidden = ended.length === 0;
    if (ended.length === 0 || this.#chartPlace.clientWidth === 0) return;
    ended.sort((a, b) => a.ended!.seq - b.ended!.seq);
    let [tokens, cost] = [0, 0];
    const [xs, ts, cs]: [number[], number[], number[]] = [[0], [0], [0]];
    for (const run of ended) {
      tokens += run.usage.tokens;
      cost += run.usage.cost_micros;
      xs.push(run.ended!.seq);
      ts.push(tokens);
      cs.push(cost / 1e6);
    }
    const colours = palette(this.element);
    const axis = { stroke: colours.quiet, grid: { stroke: colours.line, width: 0.5 }, ticks: { stroke: colours.line } };
    const step = uPlot.paths.stepped!({ align: 1 });
    this.#chart = new uPlot({
      width: this.#chartPlace.clientWidth, height: 170, title: 'Tokens and cost reported so far',
      scales: { x: { time: false } }, cursor: { y: false }, legend: { live: true },
      axes: [{ ...axis, label: 'event' }, { ...axis, size: 70 }, { ...axis, scale: 'cost', side: 1, size: 60 }],
      series: [{ label: 'event' },
        { label: 'tokens', stroke: colours.accent, width: 2, paths: step },
        { label: 'cost', stroke: colours.critical, width: 2, dash: [6, 4], paths: step, scale: 'cost' }],
    }, [xs, ts, cs], this.#chartPlace);
    this.#chartPlace.setAttribute('role', 'img');
    this.#chartPlace.setAttribute('aria-label', `${tokens} tokens and ${cost / 1e6} of cost reported by ${ended.length} runs`);
  }
}

function runRow(run: Run): (Node | string)[] {
  const { glyph, tone } = run.outcome ? OUTCOMES[run.outcome]! : { glyph: run.started ? '▶' : '○', tone: run.started ? 'active' : 'waiting' };
  const word = run.outcome ?? (run.started ? 'alive' : run.ended ? 'could not be started' : 'not started');
  const used = run.usage.tokens > 0 ? `${run.usage.tokens} tokens` : '';
  const took = run.started && run.ended ? duration(run.ended.at - run.started.at) : '';
  return [
    cell('w5', run.id), cell('w10', `${roleName(run.role)} · ${run.visit}`), cell('w10', run.item ?? ''),
    h('span', { class: 'w10' }, h('span', { class: `mark ${tone}` }, `${glyph} ${word}`)), cell('w5', took), cell('grow', [run.problem ? words(run.problem) : '', used].filter(Boolean).join(' · ')),
  ];
}

function questionRow(question: Question): (Node | string)[] {
  const answer = question.answer ? answered(Object.entries(question.answer).filter(([name]) => name !== 'type' && name !== 'kind').map(([, value]) => value)) : 'open';
  return [cell('w5', question.id), cell('w10', '◆ question'), cell('w10', answer), cell('grow', question.text)];
}

function cell(kind: string, text: string): HTMLElement {
  const span = h('span', { class: kind });
  fill(span, text);
  return span;
}

/** An answer in words: what was said, behind a yes or no where it is one. */
function answered(values: unknown[]): string {
  const said = values.filter((value) => typeof value !== 'boolean').map(String).filter(Boolean).join(' ');
  if (!values.some((value) => typeof value === 'boolean')) return said;
  return [values.includes(false) ? 'no' : 'yes', said].filter(Boolean).join(': ');
}

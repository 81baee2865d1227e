// The sum of tokens and cost up to the moment that is shown, where runs report them.
import uPlot from 'uplot';
import { h, money } from './dom';
import { palette } from './status';
import type { Run } from './wire';

/** Axes have little room: a million is `1M`. */
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
const short = (_: uPlot, marks: number[]): string[] => marks.map((one) => SHORT.format(one));

type Sums = [events: number[], tokens: number[], cost: number[]];

export class UsageChart {
  element = h('div', { class: 'chart', role: 'img' });
  #chart: uPlot | undefined;
  /** What had been used when a run ended: all of it, of which the chart shows what is not yet to come. */
  #sums: Sums = [[0], [0], [0]];
  #last = 1;
  #shown = 0;

  /** Of these runs, at this moment of a journal that is so long; nothing is drawn where none of them tells what it used. */
  show(runs: Run[], seq: number, last: number): void {
    const ended = runs.filter((run) => run.ended && (run.usage.tokens > 0 || run.usage.cost_micros > 0));
    ended.sort((a, b) => a.ended!.seq - b.ended!.seq);
    this.#last = Math.max(last, 1);
    this.#sums = summed(ended);
    this.#chart?.destroy();
    this.#chart = undefined;
    this.element.hidden = ended.length === 0;
    if (ended.length === 0 || this.element.clientWidth === 0) return;
    this.#chart = this.#made();
    this.#shown = 0;
    this.moment(seq);
  }

  /** Another moment is shown. */
  moment(seq: number): void {
    const behind = this.#sums[0].findIndex((one) => one > seq);
    const count = behind < 0 ? this.#sums[0].length : behind;
    if (!this.#chart || count === this.#shown) return;
    this.#shown = count;
    const [events, tokens, cost] = this.#sums.map((one) => one.slice(0, count)) as Sums;
    this.#chart.setData([events, tokens, cost]);
    const runs = count - 1;
    this.element.setAttribute('aria-label', `${tokens.at(-1)} tokens and a cost of ${money(cost.at(-1)! * 1e6)} reported so far, by ${runs} ${runs === 1 ? 'run' : 'runs'}`);
  }

  #made(): uPlot {
    const colours = palette(this.element);
    const axis = { stroke: colours.quiet, grid: { stroke: colours.line, width: 0.5 }, ticks: { stroke: colours.line } };
    const step = uPlot.paths.stepped!({ align: 1 });
    const whole = (of: number[]): [number, number] => [0, Math.max(...of.slice(-1), 0) * 1.05 || 1];
    return new uPlot({
      width: this.element.clientWidth, height: 170, title: 'Tokens and cost reported so far',
      // The scales are those of the whole journal, so that the curve stays while the moment moves.
      scales: { x: { time: false, range: () => [0, this.#last] }, y: { range: () => whole(this.#sums[1]) }, cost: { range: () => whole(this.#sums[2]) } },
      cursor: { y: false }, legend: { live: true },
      axes: [{ ...axis, label: 'event' }, { ...axis, size: 70, values: short }, { ...axis, scale: 'cost', side: 1, size: 60, values: short }],
      series: [{ label: 'event' },
        { label: 'tokens', stroke: colours.accent, width: 2, paths: step },
        { label: 'cost', stroke: colours.critical, width: 2, dash: [6, 4], paths: step, scale: 'cost' }],
    }, [[], [], []], this.element);
  }
}

function summed(runs: Run[]): Sums {
  const sums: Sums = [[0], [0], [0]];
  let [tokens, micros] = [0, 0];
  for (const { ended, usage } of runs) {
    tokens += usage.tokens;
    micros += usage.cost_micros;
    sums[0].push(ended!.seq);
    sums[1].push(tokens);
    sums[2].push(micros / 1e6);
  }
  return sums;
}

// The sum of tokens and cost, where runs report them.
import uPlot from 'uplot';
import { h } from './dom';
import { palette } from './status';
import type { Run } from './wire';

export class UsageChart {
  element = h('div', { class: 'chart' });
  #chart: uPlot | undefined;

  /** Of these runs; nothing is drawn where none of them tells what it used. */
  show(runs: Run[]): void {
    const ended = runs.filter((run) => run.ended && (run.usage.tokens > 0 || run.usage.cost_micros > 0));
    this.#chart?.destroy();
    this.#chart = undefined;
    this.element.hidden = ended.length === 0;
    if (ended.length === 0 || this.element.clientWidth === 0) return;
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
      width: this.element.clientWidth, height: 170, title: 'Tokens and cost reported so far',
      scales: { x: { time: false } }, cursor: { y: false }, legend: { live: true },
      axes: [{ ...axis, label: 'event' }, { ...axis, size: 70 }, { ...axis, scale: 'cost', side: 1, size: 60 }],
      series: [{ label: 'event' },
        { label: 'tokens', stroke: colours.accent, width: 2, paths: step },
        { label: 'cost', stroke: colours.critical, width: 2, dash: [6, 4], paths: step, scale: 'cost' }],
    }, [xs, ts, cs], this.element);
    this.element.setAttribute('role', 'img');
    this.element.setAttribute('aria-label', `${tokens} tokens and ${cost / 1e6} of cost reported by ${ended.length} runs`);
  }
}

// The side of the viewer that holds the engine. It knows nothing of pages: it is given a journal as a
// Blob (which may lie on disk and is read in slices), a snapshot or a config, and answers questions
// about moments of it. In a page it runs in a worker; in tests it runs as it is.
//
// A moment is found in this way: the engine that stood last, if it is a little before the wanted event,
// else the newest one the tape has kept; then the journal lines in between. The engine decides every
// one of them again, and nothing is remembered of a moment but its picture.
import { Branches } from './branch';
import { difference } from './difference';
import type { Documents, EngineHandle, EngineModule, TapeHandle } from './engine';
import { verdictOf } from './verdict';
import type { Chronicle, Differences, Fault, Item, Line, Moment, Opened, Outstanding, Progress, ReadPlan, Told, Verdict, Why } from './wire';

const PIECE = 1 << 18;
/** From an engine that stands at most so many bytes before the wanted event, we go on without looking for a nearer
 * one. Lines tell nothing of the work: one may have a whole plan in it. */
const NEAR = 1 << 18;
/** Tells the page how far the reading is; done when the page has seen it and asked what it wants to know of it. */
type Tell = (progress: Progress) => Promise<void>;

export class Desk {
  #module: EngineModule;
  #tell: Tell;
  #brought: () => Promise<Documents> | undefined;
  #blob = new Blob([]);
  #tape: TapeHandle | undefined;
  /** Where each line begins, and where the last whole one ends. */
  #offsets: number[] = [0];
  #read = 0;
  #reading: Promise<void> = Promise.resolve();
  #now: { engine: EngineHandle; seq: number } | undefined;
  /** A snapshot or a config has one moment only. */
  #still: EngineHandle | undefined;
  #branches: Branches;
  /** Questions are answered one after another, since they share the engine of the moment. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(module: EngineModule, tell: Tell, brought: () => Promise<Documents> | undefined = () => undefined) {
    this.#module = module;
    this.#tell = tell;
    this.#brought = brought;
    this.#branches = new Branches(module, {
      engineAt: (seq) => this.#engineAt(seq),
      line: (seq) => this.#line(seq),
      before: (seq) => this.#before(seq),
      settings: () => this.#settings(),
      known: () => this.#held(),
    });
  }

  async open(what: Opened): Promise<Fault | null> {
    if (what.kind === 'journal') {
      this.#blob = what.blob;
      this.#tape = new this.#module.Tape();
      this.#reading = this.#readOn();
      return null;
    }
    try {
      this.#still = what.kind === 'snapshot'
        ? this.#module.Engine.open(what.text)
        : this.#module.Engine.start(what.config, Date.now());
      return null;
    } catch (error) {
      return faultOf(error);
    }
  }

  async readDocument(kind: string, text: string, path?: string): Promise<Record<string, unknown>> {
    return (await this.#documents()).readDocument(kind, text, path);
  }

  async planParse(text: string, name: string): Promise<ReadPlan> {
    return (await this.#documents()).planParse(text, name);
  }

  async #documents(): Promise<Documents> {
    const documents = await this.#brought();
    if (!documents) throw new Error('what reads documents has not been brought');
    return documents;
  }

  /** More of a journal that is being written. */
  async append(bytes: Uint8Array): Promise<void> {
    this.#blob = new Blob([this.#blob, bytes as BlobPart]);
    this.#reading = this.#reading.then(() => this.#readOn());
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    try {
      while (this.#read < this.#blob.size && !this.#closed) {
        await this.#readPiece(this.#read === 0 ? PIECE / 4 : PIECE);
        await this.#progress(false);
        // The newest moment is at hand now; behind the next piece it would have to be decided again.
        await this.#turn;
      }
    } catch (error) {
      return this.#progress(true, faultOf(error));
    }
    return this.#progress(true);
  }

  async #readPiece(size: number): Promise<void> {
    const piece = new Uint8Array(await this.#blob.slice(this.#read, this.#read + size).arrayBuffer());
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) this.#offsets.push(this.#read + at + 1);
    this.#read += piece.length;
    this.#tape!.push(piece);
  }

  async #progress(idle: boolean, lost?: Fault): Promise<void> {
    if (this.#closed) return;
    const state = this.#tape!.state();
    await this.#tell({ state, read: this.#read, total: this.#blob.size, idle, known: this.#offsets.length - 1, ...(lost ? { lost } : {}) });
  }

  /** How many lines hold and can be shown: none behind the first that was decided otherwise. */
  #held(): number {
    const state = this.#tape?.state();
    if (!state) return 0;
    return state.divergence ? state.divergence.seq : state.lines;
  }

  async #bytes(from: number, to: number): Promise<Uint8Array> {
    const [start, end] = [this.#offsets[from], this.#offsets[to]];
    if (start === undefined || end === undefined) throw new Error(`no lines ${from} to ${to}`);
    return new Uint8Array(await this.#blob.slice(start, end).arrayBuffer());
  }

  async #before(seq: number): Promise<Uint8Array | undefined> {
    if (!this.#still) return this.#bytes(0, seq);
    const line = this.#still.started()?.line;
    return line === undefined ? undefined : new TextEncoder().encode(`${line}\n`);
  }

  async #settings(): Promise<Record<string, unknown>> {
    type Mission = { mission?: { settings?: Record<string, unknown>; core?: { settings?: Record<string, unknown> } } };
    const from = this.#still ? JSON.parse(this.#still.snapshot()) as Mission : (await this.#line(0)).header?.['config'] as Mission | undefined;
    const started = this.#still?.started()?.line;
    const told = started === undefined ? from : (readLine(started, 0, true).header?.['config'] as Mission | undefined) ?? from;
    return told?.mission?.settings ?? told?.mission?.core?.settings ?? {};
  }

  /** The engine right after event `seq`. The caller must not change it. */
  async #engineAt(seq: number): Promise<EngineHandle> {
    if (this.#still) return this.#still;
    const last = this.#held() - 1;
    if (last < 0) throw new Error('nothing of the journal can be shown');
    const wanted = Math.min(Math.max(seq, 0), last);
    if (!this.#near(wanted)) this.#jump(wanted);
    const now = this.#now!;
    if (now.seq < wanted) {
      now.engine.applyBatch(await this.#bytes(now.seq + 1, wanted + 1));
      now.seq = wanted;
    }
    return now.engine;
  }

  /** Whether it is little work to go on from where we stand. */
  #near(wanted: number): boolean {
    const now = this.#now?.seq;
    if (now === undefined || now > wanted) return false;
    return this.#offsets[wanted + 1]! - this.#offsets[now + 1]! <= NEAR;
  }

  /** To the newest engine that was kept before an event, unless we stand nearer. */
  #jump(wanted: number): void {
    const engine = this.#tape!.before(wanted);
    const seq = engine.position()!.lines - 1;
    const now = this.#now;
    if (now && now.seq <= wanted && now.seq >= seq) return engine.free();
    now?.engine.free();
    this.#now = { engine, seq };
  }

  /** One after another, because each moves the engine. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  moment(seq: number, knows?: string): Promise<Moment> {
    return this.#inTurn(async () => {
      const engine = await this.#engineAt(seq);
      return momentOf(engine, knows);
    });
  }

  item(seq: number, id: string): Promise<Item> {
    return this.#inTurn(async () => JSON.parse((await this.#engineAt(seq)).item(id)) as Item);
  }

  why(seq: number): Promise<Why> {
    return this.#inTurn(async () => (await this.#engineAt(seq)).why());
  }

  snapshot(seq: number): Promise<string> {
    return this.#inTurn(async () => (await this.#engineAt(seq)).snapshot());
  }

  /** An event with its effects, by deciding it once more from the moment before it. */
  told(seq: number): Promise<Told> {
    return this.#inTurn(async () => {
      if (this.#still) return this.#toldStill(this.#still);
      const line = await this.#line(seq);
      // A takeover by other rules is no step: what it took over stands in its line.
      const takeover = line.event?.fact.data['from'] === 'upgrade';
      if (!line.event || !line.holds || takeover) {
        const engine = await this.#engineAt(seq);
        return { line, effects: [], why: engine.why(), pending: engine.pending() };
      }
      const engine = (await this.#engineAt(seq - 1)).fork();
      try {
        const { effects } = engine.apply(line.event);
        return { line, effects, why: engine.why(), pending: engine.pending() };
      } finally {
        engine.free();
      }
    });
  }

  /** What is known of the one moment of a snapshot or a plan; of a plan, what its start ordered. */
  #toldStill(engine: EngineHandle): Told {
    const { seq, at } = JSON.parse(engine.picture()) as { seq: number; at: number };
    const started = engine.started();
    const line: Line = { seq, holds: true, header: { at }, ...(started ? { decided: started.decided } : {}) };
    return { line, effects: started?.effects ?? [], why: engine.why(), pending: engine.pending(), still: started ? 'plan' : 'snapshot' };
  }

  /** What an event changed in the state. */
  changes(seq: number): Promise<Differences> {
    return this.#inTurn(async () => {
      if (this.#still || seq < 1) return { changes: [], more: 0 };
      const before = JSON.parse((await this.#engineAt(seq - 1)).snapshot());
      const after = JSON.parse((await this.#engineAt(seq)).snapshot());
      return difference(before, after);
    });
  }

  async lines(from: number, count: number): Promise<Line[]> {
    const to = Math.min(from + count, this.#offsets.length - 1);
    if (from >= to) return [];
    const held = this.#tape?.state().lines ?? 0;
    const text = new TextDecoder().decode(await this.#bytes(from, to));
    return text.split('\n').slice(0, to - from).map((line, at) => readLine(line, from + at, from + at < held));
  }

  async #line(seq: number): Promise<Line> {
    const [line] = await this.lines(seq, 1);
    if (!line) throw new Error(`there is no event ${seq}`);
    return line;
  }

  async chronicle(): Promise<Chronicle> {
    if (!this.#tape) return { runs: [], questions: [] };
    return JSON.parse(this.#tape.chronicle()) as Chronicle;
  }

  /** The verdicts of the runs that ended with these events; `null` for one that gave none. */
  async verdicts(seqs: number[]): Promise<(Verdict | null)[]> {
    const told: (Verdict | null)[] = [];
    for (const seq of seqs) told.push(verdictOf((await this.#line(seq)).event?.fact.data['report']) ?? null);
    return told;
  }

  /** What is waited for after an event. */
  pending(seq: number): Promise<Outstanding[]> {
    return this.#inTurn(async () => (await this.#engineAt(seq)).pending());
  }

  /** As `#inTurn`, for branches. */
  async branch<T>(work: (branches: Branches) => Promise<T>): Promise<T> {
    return this.#inTurn(() => work(this.#branches));
  }

  close(): void {
    this.#closed = true;
    this.#branches.close();
    this.#now?.engine.free();
    this.#still?.free();
    this.#tape?.free();
  }
}

export function momentOf(engine: EngineHandle, knows?: string): Moment {
  const picture = engine.picture();
  if (knows !== undefined && picture.startsWith(`{"key":${JSON.stringify(knows)},`)) return { picture };
  return { picture, scene: engine.scene() };
}

function readLine(text: string, seq: number, holds: boolean): Line {
  try {
    const { body, chain } = JSON.parse(text) as { body: Record<string, unknown>; chain: string };
    if (body['event'] === undefined) return { seq, holds, chain, header: body, decided: body['decided'] as never };
    return { seq, holds, chain, event: body['event'] as never, decided: body['decided'] as never };
  } catch (error) {
    return { seq, holds: false, unreadable: error instanceof Error ? error.message : String(error) };
  }
}

/** What the engine threw, as data; anything else as an unexpected fault. */
export function faultOf(error: unknown): Fault {
  const known = error as Partial<Fault> & { name?: string; message?: string };
  if (known?.name === 'EndstateError') {
    const { code = '', kind = '', at = '', expected = '', got = '' } = known;
    return { code, kind, at, expected, got };
  }
  // A file is read where it lies: who changed it or took it away since it was opened has taken it from us, too.
  if (known?.name === 'NotReadableError' || known?.name === 'NotFoundError') {
    return { code: 'file_changed', at: '', expected: 'the file as it was opened', got: 'a file that was changed, moved or removed since' };
  }
  return { code: 'unexpected', at: '', expected: 'an answer', got: String(known?.message ?? error) };
}

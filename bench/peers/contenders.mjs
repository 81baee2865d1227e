// The peers, each in the style of its own documentation, over one story: `open` gives a state or service at its beginning, `feed`
// takes events, `now` says where it stands. What does not hold is refused: libraries drop the event, the reducer throws.
import { createMachine as createRobot, guard, interpret, reduce, state as robotState, transition as robotTransition } from 'robot3';
import { assign, createActor, setup, transition } from 'xstate';
import { makeMoves } from './moves.mjs';
import * as rules from './rules.mjs';

/** A reducer as people write it by hand: a switch over the event's type, and a spread of what a move changes. */
export function reducer({ initial, table }) {
  const moves = makeMoves(table);
  function judged(state, event) {
    if (moves.isClaim(state, event)) return moves.claimed(state, event);
    if (moves.isReview(state, event)) return moves.reviewed(state, event);
    if (moves.isAudit(state, event)) return moves.audited(state, event);
    if (moves.isDecision(state, event)) return moves.accepted(state, event);
    throw new Error(`a report that does not hold: ${event.effect}`);
  }
  function changes(state, event) {
    switch (event.type) {
      case 'run_started': if (rules.isOrdered(state, event)) return moves.started(state, event); break;
      case 'run_progressed': if (rules.isAlive(state, event)) return moves.progressed(state, event); break;
      case 'run_ended': if (rules.succeeded(state, event)) return moves.ended(state, event); break;
      case 'observed': return judged(state, event);
      case 'file_written':
        if (rules.isLast(state, event)) return moves.writtenLast(state, event);
        if (rules.isOrdered(state, event)) return moves.written(state, event);
    }
    throw new Error(`${event.type} ${event.effect} answers to nothing`);
  }
  const step = (state, event) => ({ ...state, ...changes(state, event) });
  return {
    open: () => ({ state: initial }),
    feed: (held, events) => { for (const event of events) held.state = step(held.state, event); },
    now: (held) => held.state,
  };
}

/** The statechart that XState runs, as actor and as pure function alike: guards, and `assign` for each move. */
function chart({ table }) {
  const moves = makeMoves(table);
  const asked = (rule) => ({ context, event }) => rule(context, event);
  const move = (name) => assign(({ context, event }) => moves[name](context, event));
  const names = ['started', 'progressed', 'ended', 'written', 'writtenLast', 'claimed', 'reviewed', 'audited', 'accepted'];
  const { isClaim, isReview, isAudit, isDecision } = moves;
  const { isOrdered, isAlive, isLast, succeeded } = rules;
  const questions = { isClaim, isReview, isAudit, isDecision, isOrdered, isAlive, isLast, succeeded };
  return setup({
    guards: Object.fromEntries(Object.entries(questions).map(([name, rule]) => [name, asked(rule)])),
    actions: Object.fromEntries(names.map((name) => [name, move(name)])),
  }).createMachine({
    context: ({ input }) => input,
    initial: 'waiting',
    states: {
      waiting: { on: { run_started: { guard: 'isOrdered', target: 'running', actions: 'started' } } },
      running: {
        on: {
          run_progressed: { guard: 'isAlive', actions: 'progressed' },
          file_written: { guard: 'isOrdered', actions: 'written' },
          run_ended: { guard: 'succeeded', target: 'looking', actions: 'ended' },
        },
      },
      looking: {
        on: {
          observed: [
            { guard: 'isClaim', target: 'writing', actions: 'claimed' },
            { guard: 'isReview', target: 'writing', actions: 'reviewed' },
            { guard: 'isAudit', target: 'writing', actions: 'audited' },
            { guard: 'isDecision', target: 'writing', actions: 'accepted' },
          ],
        },
      },
      writing: {
        on: {
          file_written: [
            { guard: 'isLast', target: 'waiting', actions: 'writtenLast' },
            { guard: 'isOrdered', actions: 'written' },
          ],
        },
      },
    },
  });
}

/** XState's pure `transition(machine, snapshot, event)`. */
export function xstateTransition(story) {
  const machine = chart(story);
  const first = machine.resolveState({ value: 'waiting', context: story.initial });
  return {
    open: () => ({ snapshot: first }),
    feed: (held, events) => { for (const event of events) [held.snapshot] = transition(machine, held.snapshot, event); },
    now: (held) => held.snapshot.context,
  };
}

/** A running XState actor and its `send`. */
export function xstateSend(story) {
  const machine = chart(story);
  const first = machine.resolveState({ value: 'waiting', context: story.initial });
  return {
    open: () => createActor(machine, { snapshot: first }).start(),
    feed: (actor, events) => { for (const event of events) actor.send(event); },
    now: (actor) => actor.getSnapshot().context,
    close: (actor) => actor.stop(),
  };
}

/** robot3: transitions with guards and reducers, in a service. */
export function robot({ initial, table }) {
  const moves = makeMoves(table);
  const on = (type, to, question, name) =>
    robotTransition(type, to, guard(question), reduce((state, event) => ({ ...state, ...moves[name](state, event) })));
  const machine = createRobot('waiting', {
    waiting: robotState(on('run_started', 'running', rules.isOrdered, 'started')),
    running: robotState(
      on('run_progressed', 'running', rules.isAlive, 'progressed'),
      on('file_written', 'running', rules.isOrdered, 'written'),
      on('run_ended', 'looking', rules.succeeded, 'ended'),
    ),
    looking: robotState(
      on('observed', 'writing', moves.isClaim, 'claimed'),
      on('observed', 'writing', moves.isReview, 'reviewed'),
      on('observed', 'writing', moves.isAudit, 'audited'),
      on('observed', 'writing', moves.isDecision, 'accepted'),
    ),
    writing: robotState(
      on('file_written', 'waiting', rules.isLast, 'writtenLast'),
      on('file_written', 'writing', rules.isOrdered, 'written'),
    ),
  }, (context) => context);
  return {
    open: () => interpret(machine, () => {}, initial),
    feed: (service, events) => { for (const event of events) service.send(event); },
    now: (service) => service.context,
  };
}

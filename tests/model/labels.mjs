// A scripted model that labels a document for `endstate plan import`. It knows the answer: documents of tests/plan/import
// carry marks `⟦kind attributes:text⟧` around each element, as told in tests/plan/import/labeller.rs.
//
//   const { text, spans } = labelled(marked);
//   serve({ script: labels({ spans, steps: [{ bash: 'cat source.md' }], first: (right) => wrong }) })

const KINDS = {
  t: 'title', u: 'unit', s: 'sprint', k: 'task', x: 'exit_criterion', e: 'entry_criterion', c: 'command', d: 'depends_on',
  dir: 'directory', f: 'done', p: 'deferred', n: 'notes',
};
const EDGES = { '>': 'after', '~': 'mention', '!': 'nothing' };

/** The document without its marks, with an open span for each. */
function unmarked(marked) {
  const [spans, open] = [[], []];
  let [text, line, column] = ['', 1, 1];
  for (const [piece, head] of marked.matchAll(/⟦([^:]*):|⟧|[^]/gu)) {
    if (head !== undefined) {
      open.push(spans.length);
      spans.push({ kind: KINDS[head.match(/^[a-z]+/)[0]], head: head.replace(/^[a-z]+/, ''), from: `${line}:${column}`, start: text.length });
    } else if (piece === '⟧') {
      const span = spans[open.pop()];
      [span.to, span.said] = [`${line}:${column - 1}`, text.slice(span.start)];
    } else {
      text += piece;
      [line, column] = piece === '\n' ? [line + 1, 1] : [line, column + 1];
    }
  }
  return { text, spans };
}

/** The number of the span that this one belongs to: the one it names by `@`, else the nearest of a fitting kind before. */
function parentOf(spans, place) {
  const { kind, head } = spans[place];
  const named = head.match(/^@([^> ]+)/)?.[1];
  if (named) return spans.findIndex((one) => one.kind === 'unit' && one.said === named);
  const kinds = {
    title: [], unit: [], notes: [], sprint: ['unit'], directory: ['unit'], command: ['exit_criterion', 'entry_criterion'],
  }[kind] ?? ['sprint'];
  const found = spans.slice(0, place).findLastIndex((one) => kinds.includes(one.kind));
  return found < 0 ? null : found;
}

/** Text and spans of a marked document. */
export function labelled(marked) {
  const { text, spans } = unmarked(marked);
  const label = ({ head }) => (head.startsWith('=') ? head.slice(1) : undefined);
  const called = (name) => spans.findIndex((one) => label(one) === name || (one.kind === 'unit' && one.said === name));
  const edges = ({ head }) => [...head.matchAll(/([>~!])([^ >~!]+)/g)].map(([, mark, name]) => {
    const span = mark === '!' ? -1 : called(name);
    return { kind: EDGES[mark], span: span < 0 ? null : span, label: name };
  });
  const told = spans.map((one, place) => {
    const { kind, from, to } = one;
    const waits = edges(one);
    return { kind, parent: parentOf(spans, place), from, to, ...(waits.length > 0 && { edges: waits }), ...(label(one) && { label: label(one) }) };
  });
  return { text, spans: told };
}

const report = (spans) => `Seen.\n\n\`\`\`json\n${JSON.stringify({ spans })}\n\`\`\``;

/** The script: takes these steps, then says the labels; `first` is what it says as long as nothing was sent back. */
export function labels({ spans, steps = [], first }) {
  return ({ prompt, results }) => {
    if (!prompt.includes('You label a document')) return { say: 'I do not know this role.' };
    if (results.length < steps.length) return steps[results.length];
    const corrected = /^(Form|I\d) at \d+:\d+: expected /m.test(prompt);
    return { say: first && !corrected ? first(spans) : report(spans) };
  };
}

/** Ways to be wrong at first. */
export const WRONG = {
  /** Words and no report. */
  prose: () => 'I have read the whole document. It is a fine plan.',
  /** A line waits for something that the document does not have. */
  edge: (spans) => {
    const at = spans.findIndex(({ edges }) => edges?.some(({ kind }) => kind === 'after'));
    const edges = [{ kind: 'after', span: null, label: '77' }];
    return report(spans.map((one, place) => (place === at ? { ...one, edges } : one)));
  },
};

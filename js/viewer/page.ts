// The page: shows the journal that lies in it, or the mission of the server that gave it, or what the reader
// opens. It begins with what it finds and needs no network of its own.
import { mount, type Viewer } from './app';
import { dropped } from './drop';
import { NotShown } from './source';
import { fill, h } from './dom';
import { filesOfPage } from './payload';

const place = document.getElementById('viewer')!;
let viewer: Viewer | undefined;
/** What is shown, or was before the reader wanted to open something else. */
let shown: Parameters<typeof mount>[1] | undefined;

const sheet = new CSSStyleSheet();
sheet.replaceSync(`html { color-scheme: light dark; }
html, body { height: 100%; margin: 0; background: Canvas; color: CanvasText; }
#viewer { height: 100%; }
.welcome { max-width: 640px; margin: 12vh auto 0; padding: 24px; font: 16px/1.5 system-ui, sans-serif; }
.welcome h1 { font-size: 24px; }
.welcome .drop { border: 2px dashed GrayText; border-radius: 12px; padding: 28px; text-align: center; }
.welcome button { font: inherit; padding: 6px 14px; margin: 4px; }
.welcome [role='alert'] { color: #b3141d; }
.over .drop { border-color: #1a56c4; }
@media (prefers-color-scheme: dark) { .welcome [role='alert'] { color: #ff9d9f; } .over .drop { border-color: #7fb0ff; } }`);
document.adoptedStyleSheets = [sheet];

async function show(source: Parameters<typeof mount>[1]): Promise<void> {
  viewer?.close();
  shown = source;
  fill(place);
  const inner = h('div');
  inner.style.height = '100%';
  place.append(inner);
  viewer = await mount(inner, source, { link: true, open: welcome });
  Object.assign(globalThis, { endstateViewer: viewer });
}

function choose(folder: boolean): void {
  const input = h('input', { type: 'file', multiple: true, webkitdirectory: folder });
  input.addEventListener('change', () => void open([...input.files ?? []]));
  input.click();
}

async function open(files: File[], remark?: string): Promise<void> {
  try {
    if (files.length === 0) throw new NotShown(`There is no file that could be a journal, a snapshot or a plan. ${remark ?? ''}`);
    history.replaceState(null, '', '#');
    await show({ files, ...(remark && { remark }) });
  } catch (error) {
    welcome(error instanceof Error ? error.message : String(error));
  }
}

function welcome(fault?: unknown): void {
  viewer?.close();
  viewer = undefined;
  fill(place, h('main', { class: 'welcome' },
    h('h1', {}, 'endstate viewer'),
    h('p', {}, 'Opens a journal, a snapshot, a plan document or a state directory. The engine runs in this page: it checks every line, rebuilds every moment and explains it. Nothing leaves this page.'),
    typeof fault === 'string' ? h('p', { role: 'alert' }, fault) : null,
    h('div', { class: 'drop' }, h('p', {}, 'Drop a file or a folder here, or'),
      h('button', { type: 'button', onclick: () => choose(false) }, 'Open files…'),
      h('button', { type: 'button', onclick: () => choose(true) }, 'Open a folder…')),
    shown ? h('p', {}, h('button', { type: 'button', onclick: () => void show(shown!) }, 'Back to what was open')) : null));
}

addEventListener('dragover', (event) => {
  event.preventDefault();
  place.classList.add('over');
});
addEventListener('dragleave', () => place.classList.remove('over'));
addEventListener('drop', (event) => {
  event.preventDefault();
  place.classList.remove('over');
  // Text or a picture that was dragged by chance closes nothing.
  if (event.dataTransfer?.types.includes('Files')) {
    dropped(event.dataTransfer.items).then(({ files: all, remark }) => open(all, remark), (error: unknown) => welcome(error instanceof Error ? error.message : String(error)));
  }
});

const files = filesOfPage();
const { live, snapshot } = document.documentElement.dataset;
if (files.length > 0) void show({ files });
else if (live !== undefined) void show({ live: live || location.pathname.replace(/\/[^/]*$/, ''), ...(snapshot && { snapshot: Number(snapshot) }) });
else welcome();

// What is dropped onto the page: files, and folders with all that may be of use in them.
import { NotShown, setPath } from './source';

/** What may be a journal, a snapshot or a plan. */
const OF_USE = /\.(jsonl|json|md|markdown|ya?ml)$/i;
/** Nothing to be shown lies in these, and much else. */
const ASIDE = /^(node_modules|\.git|target|runs|tmp)$/;
/** A repository may be larger than a reader's patience: so many names are looked at, and so many files kept. */
export const [MOST_NAMES, MOST_KEPT, DEEPEST] = [40_000, 4_000, 16];

export interface Dropped {
  files: File[];
  /** What was not looked at. */
  remark?: string;
}

const FROM_DISK = 'This page was opened from disk, where a browser does not let it read a folder that is dropped. Use “Open a folder…”, or drop the files themselves.';

/**
 * All of what was dropped. A file is asked for as one: by way of its entry a page that was opened from disk cannot
 * read it.
 */
export async function dropped(items: DataTransferItemList): Promise<Dropped> {
  // What is dropped is gone behind the first wait.
  const all = [...items].filter(({ kind }) => kind === 'file').map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const files = all.flatMap(({ entry, file }) => (file && !entry?.isDirectory ? [file] : []));
  const folders = all.flatMap(({ entry }) => (entry?.isDirectory ? [entry as FileSystemDirectoryEntry] : []));
  return folders.length > 0 ? walk(files, folders) : { files };
}

/** Folders level by level; of one level those first that hold what matters, so that no bound takes it away. */
async function walk(files: File[], folders: FileSystemDirectoryEntry[]): Promise<Dropped> {
  let [names, unseen] = [0, 0];
  let level = folders;
  for (let deep = 0; level.length > 0; deep += 1) {
    const below: FileSystemDirectoryEntry[] = [];
    for (const folder of level.sort((a, b) => rank(a) - rank(b))) {
      if (names >= MOST_NAMES || files.length >= MOST_KEPT || deep > DEEPEST) {
        unseen += 1;
        continue;
      }
      const entries = await read(folder);
      names += entries.length;
      below.push(...entries.filter((entry) => entry.isDirectory && !ASIDE.test(entry.name)) as FileSystemDirectoryEntry[]);
      const wanted = entries.filter(({ isFile, name }) => isFile && OF_USE.test(name)) as FileSystemFileEntry[];
      files.push(...await Promise.all(wanted.map(fileOf)));
    }
    level = below;
  }
  if (unseen === 0) return { files };
  return { files, remark: `Only a part of the folder was looked through: ${names} names; ${unseen} of its folders were not opened.` };
}

/** State directories and plans before everything else. */
const rank = ({ fullPath }: FileSystemEntry): number => (/\/(\.agent|\.grid)(\/|$)/.test(fullPath) ? 0 : /\/(plans?|features|tasks)$/.test(fullPath) ? 1 : 2);

async function read(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject)).catch(unreadable(folder));
    // A hundred at once; nothing says that these were all.
    if (some.length === 0) return all;
    all.push(...some);
  }
}

const unreadable = (entry: FileSystemEntry) => (error: unknown): never => {
  throw new NotShown(location.protocol === 'file:' ? FROM_DISK : `${entry.fullPath} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
};

async function fileOf(entry: FileSystemFileEntry): Promise<File> {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject)).catch(unreadable(entry));
  setPath(file, entry.fullPath.replace(/^\//, ''));
  return file;
}

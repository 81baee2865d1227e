// Secrets leave no trace: they are taken out of every text before the engine sees it. Twin of
// src/native/redact.rs.
//
// A secret is the value of an environment variable whose name says so. Each occurrence becomes
// `[redacted:NAME]`. Values of several lines are also looked for line by line, since output is read in lines.

/** Shorter values are too likely to be ordinary words. */
const LEAST_LENGTH = 8;
/** Shorter lines of a secret of several lines are too likely to be ordinary. */
const LEAST_LINE = 16;
/** What a secret's name ends with, in one of its words. */
const WORDS = ['TOKEN', 'SECRET', 'KEY', 'PASSWORD', 'PASSWD', 'PASSPHRASE', 'CREDENTIAL', 'CREDENTIALS', 'SECRETS'];

/** Knows secrets, and takes them out. */
export class Redactor {
  /** What to look for and what to put there, the longest first. */
  readonly #secrets: { secret: string; put: string }[];

  /** Of these variables; by default those of this process. */
  constructor(variables: Readonly<Record<string, string | undefined>> = process.env) {
    const found = new Map<string, string>();
    for (const [name, whole] of Object.entries(variables)) {
      if (whole === undefined || !looksSecret(name)) continue;
      const value = whole.trim();
      const lines = value.split('\n').map((line) => line.trim()).filter((line) => line.length >= LEAST_LINE);
      for (const secret of [...lines, value].filter((one) => one.length >= LEAST_LENGTH)) {
        const put = `[redacted:${name}]`;
        const before = found.get(secret);
        if (before === undefined || put < before) found.set(secret, put);
      }
    }
    this.#secrets = [...found].map(([secret, put]) => ({ secret, put })).sort((a, b) => b.secret.length - a.secret.length);
  }

  /** `text` without secrets. */
  text(text: string): string {
    return this.#secrets.reduce((left, { secret, put }) => left.replaceAll(secret, () => put), text);
  }

  /** Whether `text` holds a secret. */
  finds(text: string): boolean {
    return this.#secrets.some(({ secret }) => text.includes(secret));
  }

  /** The value without secrets in any of its texts; the same one if it had none. */
  value<T>(value: T): T {
    if (this.#secrets.length === 0) return value;
    if (typeof value === 'string') return (this.finds(value) ? this.text(value) : value) as T;
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const clean = entries.map(([name, one]) => [name, this.value(one as unknown)] as const);
    if (clean.every(([, one], place) => one === entries[place]?.[1])) return value;
    return (Array.isArray(value) ? clean.map(([, one]) => one) : Object.fromEntries(clean)) as T;
  }
}

function looksSecret(name: string): boolean {
  const parts = name.toUpperCase().split(/[^\p{L}\p{N}]/u);
  return parts.some((part) => WORDS.some((word) => part.endsWith(word)));
}

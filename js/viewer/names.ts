// Names of the engine as people read them.

export const words = (name: string): string => name.replaceAll('_', ' ');

/** A role without the name of its protocol before it. */
export const roleName = (role: string): string => words(role.replace(/^(completion|promise|sprint|iteration|grid)-/, ''));

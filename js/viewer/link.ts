// The address of the page names what is shown: an event, an item, a part.

export interface Linked { event?: number; item?: string; part?: string }

export function readLink(hash: string): Linked {
  const told = new URLSearchParams(hash.replace(/^#/, ''));
  const [event, item, part] = [told.get('event'), told.get('item'), told.get('part')];
  return {
    ...(event !== null && /^\d{1,15}$/.test(event) ? { event: Number(event) } : {}),
    ...(item === null ? {} : { item }),
    ...(part === null ? {} : { part }),
  };
}

export function writeLink({ event, item, part }: Linked): void {
  const told = new URLSearchParams({ event: String(event), ...(item === undefined ? {} : { item }), part: part ?? '' });
  history.replaceState(null, '', `#${told}`);
}

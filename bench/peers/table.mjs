// Where an immutable state keeps its plan, and how one slice in it is changed without changing what was there before.

/** An array in the plan's order, and beside the state an index from id to place, which never changes. One change copies as many
 *  pointers as there are slices, in one block: the cheapest that is still plain data. */
export function listTable(slices) {
  const places = new Map(slices.map((slice, place) => [slice.id, place]));
  return {
    start: () => slices,
    all: (list) => list,
    get: (list, id) => list[places.get(id)],
    change: (list, id, change) => list.with(places.get(id), change(list[places.get(id)])),
  };
}

/** A record by id, spread: Redux's "normalised state", which its style guide and most reducers have. One change copies every key. */
export function recordTable(slices) {
  const all = Object.fromEntries(slices.map((slice) => [slice.id, slice]));
  return {
    start: () => all,
    all: (record) => Object.values(record),
    get: (record, id) => record[id],
    change: (record, id, change) => ({ ...record, [id]: change(record[id]) }),
  };
}

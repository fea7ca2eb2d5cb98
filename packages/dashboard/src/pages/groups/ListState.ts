/**
 * The groups that a list shows, and their order. A poll updates the rows but never moves them. New groups wait until the
 * reader loads them. Groups that no longer match stay until then, and are marked.
 */

/** A page of a response. */
export interface Page {
  /** Keys of the groups in the order of the response. */
  readonly keys: ReadonlyArray<string>
  readonly cursor: number | null
  readonly hasMore: boolean
}

export interface ListState {
  /** The keys that are shown, in order. */
  readonly shown: ReadonlyArray<string>
  /** The heading of each shown key at the time it was placed. */
  readonly headings: ReadonlyMap<string, string>
  /** Keys that a poll found and the list does not show yet. */
  readonly waiting: ReadonlyArray<string>
  /** Shown keys that no longer match. */
  readonly gone: ReadonlySet<string>
  /** The first page of the latest response. */
  readonly latest: ReadonlyArray<string>
  readonly cursor: number | null
  readonly hasMore: boolean
}

/** Returns the current heading of a group. */
export type HeadingOf = (key: string) => string

/** The state after the first response. */
export const start = ({ cursor, hasMore, keys }: Page, headingOf: HeadingOf): ListState => ({
  shown: keys,
  headings: placed(keys, headingOf),
  waiting: [],
  gone: new Set(),
  latest: keys,
  cursor,
  hasMore,
})

/** The state after a poll of the first page. */
export const poll = (state: ListState, page: Page): ListState => {
  const shown = new Set(state.shown)
  const found = new Set(page.keys)
  // Groups behind the last one that both know may have been, or may be, on the second page.
  const lastAt = page.keys.findLastIndex((key) => shown.has(key))
  const last = page.keys[lastAt]
  const head = state.hasMore && lastAt !== -1 ? page.keys.slice(0, lastAt) : page.keys
  const waiting = head.filter((key) => !shown.has(key))
  const end = page.hasMore ? (last === undefined ? 0 : state.shown.indexOf(last)) : state.latest.length
  const gone = new Set([
    ...[...state.gone].filter((key) => !found.has(key)),
    ...state.shown.slice(0, Math.min(end, state.latest.length)).filter((key) => !found.has(key)),
  ])
  const isKnown = isSame(waiting, state.waiting) && isSame([...gone], [...state.gone])
  return isKnown ? { ...state, latest: page.keys } : { ...state, waiting, gone, latest: page.keys }
}

/** The state with the next page at its end. */
export const append = (
  state: ListState,
  { cursor, hasMore, keys }: Page,
  headingOf: HeadingOf,
): ListState => {
  const added = keys.filter((key) => !state.headings.has(key))
  return {
    ...state,
    shown: [...state.shown, ...added],
    headings: new Map([...state.headings, ...placed(added, headingOf)]),
    cursor,
    hasMore,
  }
}

/** Applies the latest response: adds new groups and removes those that no longer match. */
export const reveal = (state: ListState, headingOf: HeadingOf): ListState => {
  const latest = new Set(state.latest)
  const rest = state.shown.filter((key) => !latest.has(key) && !state.gone.has(key))
  const shown = [...state.latest, ...rest]
  return {
    ...state,
    shown,
    headings: new Map([
      ...rest.map((key) => [key, state.headings.get(key) ?? headingOf(key)] as const),
      ...placed(state.latest, headingOf),
    ]),
    waiting: [],
    gone: new Set(),
  }
}

/** The state without groups, after they were merged or deleted. */
export const remove = (state: ListState, keys: ReadonlySet<string>): ListState => ({
  ...state,
  shown: state.shown.filter((key) => !keys.has(key)),
  waiting: state.waiting.filter((key) => !keys.has(key)),
  latest: state.latest.filter((key) => !keys.has(key)),
})

// internal

const placed = (keys: ReadonlyArray<string>, headingOf: HeadingOf): ReadonlyMap<string, string> =>
  new Map(keys.map((key) => [key, headingOf(key)]))

const isSame = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((key, index) => key === b[index])

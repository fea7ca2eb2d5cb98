/** Routes: the buckets in which a method of a store runs, and how their results are joined. */

import type { Page } from "@errata/core"
import { DateTime, Effect, Option } from "effect"
import * as Buckets from "./Buckets.js"
import { getOrMake } from "./GetOrMake.js"

// biome-ignore lint/suspicious/noExplicitAny: methods have any signature; `Routed.ts` has the types.
export type Method = (...args: ReadonlyArray<any>) => Effect.Effect<any, any, any>

/** Turns a method for the bucket of its fiber into one for all buckets. */
export type Route = (method: Method, count: number) => Method

/** Runs outside of buckets, on shared tables. */
export const shared: Route = (method) => method

/** Runs in the bucket of a project that is in the arguments. */
export const by =
  // biome-ignore lint/suspicious/noExplicitAny: as above.
    (projectOf: (...args: ReadonlyArray<any>) => number): Route =>
    (method, count) =>
    (...args) =>
      Buckets.within(Buckets.bucketOf(projectOf(...args), count))(method(...args))

/** Runs in the first bucket: no bucket has rows of it yet. */
export const inFirst: Route =
  (method) =>
  (...args) =>
    Buckets.within(0)(method(...args))

/** The first argument is the project id. */
export const project: Route = by((id) => id)

/** The first argument has a `projectId`. */
export const place: Route = by((first) => first.projectId)

/** Joins the results of several buckets. `at` has the positions of the items of each. */
export type Join = (answers: ReadonlyArray<Answer>) => unknown

interface Answer {
  readonly at: ReadonlyArray<number>
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly value: any
}

const values = (answers: ReadonlyArray<Answer>) => answers.map(({ value }) => value)

/** Finds the buckets that have work. */
type Busy = Effect.Effect<ReadonlySet<number>, unknown>

export const nothing: Join = () => undefined
export const all: Join = (answers) => values(answers).every(Boolean)
export const any: Join = (answers) => values(answers).some(Boolean)
export const sum: Join = (answers) => values(answers).reduce((total, value) => total + value, 0)
export const list: Join = (answers) => values(answers).flat()
export const set: Join = (answers) => new Set(values(answers).flatMap((value) => [...value]))
export const map: Join = (answers) => new Map(values(answers).flatMap((value) => [...value]))
/** One result for each item, in their order. */
export const inOrder: Join = (answers) => {
  const joined: Array<unknown> = []
  for (const { at, value } of answers) {
    for (const [i, place] of at.entries()) joined[place] = value[i]
  }
  return joined
}
export const firstFound: Join = (answers) => values(answers).find(Option.isSome) ?? Option.none()
/** Adds up each field. */
export const sums: Join = (answers) =>
  values(answers).reduce((total, value) => eachField(total, value, (a, b) => a + b))
/** Takes the earliest time of each field; null if there is none. */
export const earliest: Join = (answers) =>
  values(answers).reduce((first, value) =>
    eachField(first, value, (a, b) =>
      a === null || (DateTime.isDateTime(b) && DateTime.isLessThan(b, a)) ? b : a,
    ),
  )
/** Merges sorted lists, up to a limit. */
export const sorted =
  // biome-ignore lint/suspicious/noExplicitAny: as above.
    (compare: (self: any, that: any) => number, limit?: number): Join =>
    (answers) => {
      const found = values(answers).flat().sort(compare)
      return limit === undefined ? found : found.slice(0, limit)
    }
/** Merges pages, newest first. */
export const pages =
  (limit: number): Join =>
  (answers) => {
    const found = values(answers) as ReadonlyArray<Page.Page<{ readonly id: number }>>
    const items = found.flatMap((page) => page.items).sort((self, that) => that.id - self.id)
    const isMore = items.length > limit || found.some(({ nextCursor }) => nextCursor !== null)
    const shown = items.slice(0, limit)
    return { items: shown, nextCursor: isMore ? (shown.at(-1)?.id ?? null) : null }
  }

// biome-ignore lint/suspicious/noExplicitAny: as above.
type ProjectOf = (item: any) => number

const projectOfItem: ProjectOf = (item) => item.projectId

/**
 * Sends each bucket the items of its projects, in the order of the buckets, to prevent deadlocks. If there are several lists,
 * the results belong to the first one.
 */
export const items =
  (
    join: Join,
    {
      projectOf = projectOfItem,
      lists = [0],
    }: {
      readonly projectOf?: ProjectOf
      readonly lists?: ReadonlyArray<number>
    } = {},
  ): Route =>
  (method, count) =>
  (...args) => {
    const parts = new Map<number, Map<number, Array<number>>>()
    for (const list of lists) {
      for (const [i, item] of ((args[list] ?? []) as ReadonlyArray<unknown>).entries()) {
        const bucket = Buckets.bucketOf(projectOf(item), count)
        const ofBucket = getOrMake(parts, bucket, () => new Map<number, Array<number>>())
        getOrMake(ofBucket, list, () => []).push(i)
      }
    }
    if (parts.size <= 1) return Buckets.within([...parts.keys()][0] ?? 0)(method(...args))
    const ordered = [...parts].sort(([self], [that]) => self - that)
    const one = ([bucket, ofBucket]: (typeof ordered)[number]) => {
      const own = [...args]
      for (const list of lists) own[list] = (ofBucket.get(list) ?? []).map((i) => args[list][i])
      const at = ofBucket.get(lists[0]!) ?? []
      return Effect.map(Buckets.within(bucket)(method(...own)), (value) => ({ at, value }))
    }
    return Effect.map(Effect.forEach(ordered, one), join)
  }

/** The same for lists of project ids. */
export const projects = (join: Join, lists: ReadonlyArray<number> = [0]): Route =>
  items(join, { projectOf: (id) => id, lists })

/** Runs in every bucket, or only in those of the given projects. */
export const everywhere =
  (
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    join: (...args: ReadonlyArray<any>) => Join,
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    projectsOf: (...args: ReadonlyArray<any>) => ReadonlyArray<number> | null = () => null,
  ): Route =>
  (method, count) =>
  (...args) => {
    const some = projectsOf(...args)
    const buckets =
      some === null
        ? Array.from({ length: count }, (_, bucket) => bucket)
        : [...new Set(some.map((id) => Buckets.bucketOf(id, count)))].sort((self, that) => self - that)
    return Effect.map(
      Effect.forEach(buckets, (bucket) =>
        Effect.map(Buckets.within(bucket)(method(...args)), (value) => ({ at: [], value })),
      ),
      join(...args),
    )
  }

/**
 * Takes work from one bucket after the other, and begins with another one each time: an equal share from each first, then more
 * from those that have more.
 */
export const taking =
  // biome-ignore lint/suspicious/noExplicitAny: as above.
    (busy: (request: any) => Busy): Route =>
    (method, count) => {
      let first = 0
      return (request) =>
        Effect.gen(function* () {
          const taken: Array<unknown> = []
          const free = yield* busy(request)
          let buckets = inTurn(first++, count).filter((bucket) => free.has(bucket))
          while (buckets.length > 0 && taken.length < request.limit) {
            const share = Math.ceil((request.limit - taken.length) / buckets.length)
            const more: Array<number> = []
            for (const bucket of buckets) {
              const limit = Math.min(share, request.limit - taken.length)
              if (limit === 0) break
              const found = yield* Buckets.within(bucket)(method({ ...request, limit }))
              taken.push(...found)
              if (found.length === limit) more.push(bucket)
            }
            buckets = more
          }
          return taken
        })
    }

/**
 * Takes work from a single bucket, because the caller handles it in one transaction. Tries all buckets that had work before it
 * searches again.
 */
export const takingOne =
  <A>(busy: Busy, none: A, isSome: (found: A) => boolean): Route =>
  (method, count) => {
    let first = 0
    let waiting: Array<number> = []
    const next = (args: ReadonlyArray<unknown>): ReturnType<Method> =>
      Effect.gen(function* () {
        for (let bucket = waiting.shift(); bucket !== undefined; bucket = waiting.shift()) {
          const found: A = yield* Buckets.within(bucket)(method(...args))
          if (isSome(found)) return found
        }
        return none
      })
    return (...args) =>
      Effect.gen(function* () {
        const known = yield* next(args)
        if (isSome(known)) return known
        const free = yield* busy
        waiting = inTurn(first++, count).filter((bucket) => free.has(bucket))
        return yield* next(args)
      })
  }

/**
 * Takes rows from the buckets until the limit, which is the argument at `limitAt`, is reached: from all buckets, or from those
 * with work.
 */
export const upTo =
  // biome-ignore lint/suspicious/noExplicitAny: as above.
    (limitAt: number, busy?: (...args: ReadonlyArray<any>) => Busy): Route =>
    (method, count) =>
    (...args) =>
      Effect.gen(function* () {
        const found: Array<unknown> = []
        const free = busy === undefined ? null : yield* busy(...args)
        for (const bucket of inTurn(0, count)) {
          if (found.length >= args[limitAt]) break
          if (free?.has(bucket) === false) continue
          const rest = args.with(limitAt, args[limitAt] - found.length)
          found.push(...(yield* Buckets.within(bucket)(method(...rest))))
        }
        return found
      })

// internal

const inTurn = (first: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, i) => (first + i) % count)

const eachField = <A extends object>(
  self: A,
  that: A,
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  join: (self: any, that: any) => unknown,
): A =>
  Object.fromEntries(
    Object.entries(self).map(([field, value]) => [field, join(value, that[field as keyof A])]),
  ) as A

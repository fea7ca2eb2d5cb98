/**
 * The dictionaries of projects. A dictionary is a row of `errata.segments` without payloads, in the week of the segments that use it.
 * So it is kept, copied and removed together with them.
 */
import type { ProjectId } from "@errata/core"
import { BoundedCache } from "@errata/core/internal"
import { Context, Effect, FiberSet, Layer, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as Buckets from "./Buckets.js"
import { compress, decompress, unlessDamaged } from "./Compression.js"
import * as Dictionary from "./Dictionary.js"
import * as Rows from "./Rows.js"
import * as SegmentRow from "./SegmentRow.js"
import * as Segments from "./Segments.js"
import { bytea, int4, int8 } from "./SqlType.js"

export class Dictionaries extends Context.Service<
  Dictionaries,
  {
    /** Returns the dictionary for new segments of a project, or null while there is none. */
    readonly current: (projectId: ProjectId) => Dictionary.Dictionary | null
    /** Takes note of new segments. Looks for better dictionaries for their projects in the background. */
    readonly appended: (segments: ReadonlyArray<Segments.Segment>) => void
    /** Stops using the current dictionaries of segments, because the database rejected one of them. */
    readonly forget: (segments: ReadonlyArray<Segments.Segment>) => void
    /** Returns the content of a dictionary. Null if `id` is null, or if the database does not have it. */
    readonly find: (projectId: ProjectId, id: number | null) => Effect.Effect<Uint8Array | null, SqlError>
    /** Keeps a dictionary that was found elsewhere. Returns its content. */
    readonly keep: (id: number, content: Uint8Array) => Uint8Array
  }
>()("@errata/storage-postgres/Dictionaries") {}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fork = yield* FiberSet.makeRuntime<never>()
  const projects = new BoundedCache<ProjectId, State>(maxRecent)
  const contents = new BoundedCache<number, Uint8Array>(maxRecent)
  // At most one connection, also when all projects look for a dictionary at once.
  const turns = Semaphore.makeUnsafe(1)
  let searches = 0

  const week = sql.literal("errata.week_of(errata.now())")
  const ofThisWeek = sql`id >= errata.first_id(${week}) AND id < errata.first_id(${week} + 1)`

  const kept = (id: number, content: Uint8Array): Uint8Array => {
    contents.set(id, content)
    return content
  }

  /** Null without a row, or if it is damaged. */
  const read = (row: object | undefined): Dictionary.Dictionary | null => {
    if (row === undefined) return null
    const { blockBytes, body, id } = dictionaryRows.read(row)
    const content = unlessDamaged(() => decompress(body, blockBytes))
    return content === null ? null : Dictionary.make(id, kept(id, content))
  }

  const find = (projectId: ProjectId, id: number | null): Effect.Effect<Uint8Array | null, SqlError> => {
    const known = id === null ? null : contents.get(id)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(
      sql`
        SELECT ${sql.literal(dictionaryRows.select())} FROM errata.segments
        WHERE project_id = ${projectId} AND id = ${id} AND payloads_count = 0`,
      ([row]) => read(row)?.content ?? null,
    )
  }

  /** The newest dictionary of this week. */
  const newest = (projectId: ProjectId) =>
    Effect.map(
      sql`
        SELECT ${sql.literal(dictionaryRows.select())} FROM errata.segments
        WHERE project_id = ${projectId} AND payloads_count = 0 AND ${ofThisWeek}
        ORDER BY id DESC LIMIT 1`,
      ([row]) => read(row),
    )

  const insert = (projectId: ProjectId, content: Uint8Array) =>
    Effect.gen(function* () {
      const next = sql`errata.first_id(${week}) + nextval('errata.segment_ids')`
      const { ids, now } = yield* Buckets.idsOf(sql, next, 1)
      const dictionary = Dictionary.make(ids[0]!, content)
      yield* sql`
        INSERT INTO errata.segments (id, project_id, created_at, payloads_count, bytes, index_bytes, block_bytes, body)
        VALUES (${dictionary.id}, ${projectId}, ${now}, 0, 0, ${dictionary.checksum}, ${content.byteLength}, ${compress(content)})`
      contents.set(dictionary.id, content)
      return dictionary
    })

  /** Makes a dictionary from the newest segments of the week. Null if there are too few. */
  const makeOne = (projectId: ProjectId) =>
    Effect.gen(function* () {
      const rows = yield* sql`
        SELECT ${sql.literal(segmentRows.select())} FROM (
          SELECT * FROM errata.segments WHERE project_id = ${projectId} AND ${ofThisWeek}
          ORDER BY id DESC LIMIT ${4 * samples}
        ) AS s
        WHERE payloads_count > 0 AND block_bytes < ${maxSampleBytes} ORDER BY id DESC LIMIT ${samples}`
      if (rows.length < minSamples) return null
      const payloads = yield* Effect.forEach(rows, (row) => {
        const stored = segmentRows.read(row)
        return Effect.map(find(projectId, stored.dictionaryId), (dictionary) => {
          const block = unlessDamaged(() => Segments.blockOf({ ...stored, dictionary }))
          return block === null ? [] : Segments.unpack(block, stored)
        })
      })
      const content = Dictionary.contentOf(payloads.flat())
      return content === null ? null : yield* insert(projectId, content)
    })

  /** Returns the first dictionary of a week: another node's, that of the week before, or one of its own. */
  const first = Effect.fnUntraced(function* (projectId: ProjectId, { appended, former }: State) {
    const known = yield* newest(projectId)
    if (known !== null) return known
    if (former !== null) return yield* insert(projectId, former)
    return appended < minSamples ? null : yield* makeOne(projectId)
  })

  const improve = (projectId: ProjectId, state: State) => {
    const better = state.appended < renewedAfter ? first(projectId, state) : makeOne(projectId)
    return better.pipe(
      Effect.map((dictionary) => {
        if (dictionary !== null) state.current = dictionary
      }),
      Buckets.inThatOf(sql, projectId),
      turns.withPermits(1),
      Effect.catchCause((cause) => {
        state.next = 2 * state.appended
        return Effect.logDebug("No dictionary was made", cause)
      }),
      Effect.ensuring(
        Effect.sync(() => {
          state.isBusy = false
          searches--
        }),
      ),
    )
  }

  return Dictionaries.of({
    find,

    keep: kept,

    current: (projectId) => projects.get(projectId)?.current ?? null,

    forget: (segments) => {
      for (const { dictionary, projectId } of segments) {
        const state = projects.get(projectId)
        // Another segment or write of the project may have been rejected before.
        if (dictionary === null || state?.current !== dictionary) continue
        // After a restore, the id may have another content.
        contents.delete(dictionary.id)
        const former = state.appended < minUses ? null : dictionary.content
        projects.set(projectId, { ...unknown, former })
      }
    },

    appended: (segments) => {
      for (const { projectId } of segments) {
        let state = projects.get(projectId)
        if (state === undefined) {
          state = { ...unknown }
          projects.set(projectId, state)
        }
        state.appended++
        if (state.isBusy || state.appended < state.next || searches >= maxSearches) continue
        searches++
        state.isBusy = true
        state.next *= 16
        fork(improve(projectId, state))
      }
    },
  })
})

export const layer = Layer.effect(Dictionaries, make)

// internal

interface State {
  current: Dictionary.Dictionary | null
  /** The content of the dictionary of the week before, or null. */
  readonly former: Uint8Array | null
  /** Number of segments that this process appended. */
  appended: number
  /** The number of appended segments after which the next search starts. */
  next: number
  isBusy: boolean
}

const unknown: State = { current: null, former: null, appended: 0, next: 1, isBusy: false }

/** Limits memory to 32 MiB, if so many projects send. */
const maxRecent = 1000

/** Searches that run or wait. If more than `maxRecent` projects send, each segment would start one. */
const maxSearches = 16

/** Segments in which a dictionary saves more than it takes. */
const minUses = 32

/** Appended segments after which a new dictionary replaces one that is there, because it knows more of the project. */
const renewedAfter = 256

/** The newest segments that a dictionary is made from. */
const samples = 32
const minSamples = 16
const maxSampleBytes = 64 * 1024

const dictionaryRows = Rows.make({ id: int8(), blockBytes: int4(), body: bytea })
const segmentRows = Rows.make(SegmentRow.stored)

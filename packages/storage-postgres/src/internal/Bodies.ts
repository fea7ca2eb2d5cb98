/** Reads payloads from the database or, after their week has moved, from the object store. */
import { type BodyProblem, bodyProblemText, type ProjectId, StorageError } from "@errata/core"
import type { Payload } from "@errata/core/ports"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as ArchivedBodies from "./ArchivedBodies.js"
import { unlessDamaged } from "./Compression.js"
import { Dictionaries } from "./Dictionaries.js"
import type * as Rows from "./Rows.js"
import type * as SegmentRow from "./SegmentRow.js"
import * as Segments from "./Segments.js"

/** The payload, or null if it was removed. */
export type Found = Result.Result<Payload | null, BodyProblem>

/** The place of a payload, and its segment if the database has it. The place is null if there never was a payload. */
export interface Place extends Rows.RowOf<typeof SegmentRow.joined> {
  readonly projectId: ProjectId
  readonly segmentId: number | null
  readonly segmentPosition: number | null
}

/** Fails if the object store does not respond. Other unreadable payloads are null. */
export const orUnavailable = (
  found: Effect.Effect<Found, SqlError>,
): Effect.Effect<Payload | null, SqlError | StorageError> =>
  Effect.flatMap(found, (result) => {
    if (Result.isSuccess(result)) return Effect.succeed(result.success)
    if (result.failure !== "unreachable") return Effect.succeed(null)
    const cause = new Error(bodyProblemText.unreachable)
    return new StorageError({ operation: "ObjectStore.read", reason: "unavailable", cause })
  })

export interface Bodies extends Effect.Success<typeof make> {}

export const make = Effect.gen(function* () {
  const archived = yield* ArchivedBodies.make
  const dictionaries = yield* Dictionaries

  /** Returns null if `id` is null, or if the dictionary is missing. If the database does not have it, it has moved with its week. */
  const dictionaryOf = (
    projectId: ProjectId,
    id: number | null,
  ): Effect.Effect<Result.Result<Uint8Array | null, BodyProblem>, SqlError> =>
    Effect.gen(function* () {
      const known = yield* dictionaries.find(projectId, id)
      if (known !== null || id === null) return Result.succeed(known)
      const found = yield* archived.find(projectId, id)
      return Result.map(found, (segment) => {
        if (segment === null) return null
        const content = unlessDamaged(() => Segments.blockOf({ ...segment, dictionary: null }))
        return content === null ? null : dictionaries.keep(id, content)
      })
    })

  return {
    dictionaryOf,

    /** Takes ten seconds at most, even if the object store is slow. */
    find: ({ projectId, segmentId, segmentPosition, ...joined }: Place): Effect.Effect<Found, SqlError> =>
      Effect.gen(function* () {
        if (segmentId === null || segmentPosition === null) return Result.succeed(null)
        const { blockBytes, body, dictionaryId, indexBytes } = joined
        const found =
          body === null || blockBytes === null || indexBytes === null
            ? yield* archived.find(projectId, segmentId)
            : Result.succeed({ blockBytes, body, dictionaryId, indexBytes })
        if (Result.isFailure(found)) return Result.fail(found.failure)
        const segment = found.success
        if (segment === null) return Result.succeed(null)
        const dictionary = yield* dictionaryOf(projectId, segment.dictionaryId)
        return Result.flatMap(dictionary, (dictionary) => {
          const stored = { ...segment, projectId, dictionary }
          const found = unlessDamaged(() => Segments.payloadAt(stored, segmentPosition))
          return found === null ? Result.fail("damaged") : Result.succeed(found)
        })
      }),
  }
})

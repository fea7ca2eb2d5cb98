/**
 * The way in for errors: whose they are, and making them durable. Nothing is decoded here; that is the recorder's.
 */
import { Cause, Effect, Option, Schema } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import * as GroupCommit from "../internal/GroupCommit.js"
import type { Payload } from "../payload/PayloadDecoder.js"
import { type ProjectId, ProjectToken } from "../project/Project.js"
import { ProjectCredentials } from "../project/ProjectCredentials.js"
import type { StorageError } from "../storage/StorageError.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { PendingPayloads } from "./PendingPayloads.js"
import { RecorderSignal } from "./RecorderSignal.js"

/** No project has this token, or it is another project's than the one addressed. */
export class UnknownCredential extends Schema.TaggedError<UnknownCredential>()("UnknownCredential", {}) {}

/** Errors cannot be made durable now; the sender may try again later. Nothing was stored. */
export class IntakeUnavailable extends Schema.TaggedError<IntakeUnavailable>()("IntakeUnavailable", {
  cause: Schema.optional(Schema.Defect),
}) {}

/** Accepts payloads. Closing its scope finishes the writes under way and refuses what comes later. */
export class Intake extends Effect.Service<Intake>()("@errata/core/ingest/Intake", {
  dependencies: [ProjectCredentials.Default],
  scoped: Effect.gen(function* () {
    const { intake } = yield* ErrataConfig
    const credentials = yield* ProjectCredentials
    const pending = yield* PendingPayloads
    const signal = yield* RecorderSignal
    const outage = yield* StorageOutage

    const writer = yield* GroupCommit.make<ReadonlyArray<Payload>, StorageError | IntakeUnavailable>({
      write: (requests) => Effect.andThen(pending.append(requests.flat()), signal.raise),
      size: (payloads) => payloads.reduce((bytes, payload) => bytes + payload.body.byteLength, 0),
      maxItems: intake.batchPayloads,
      maxSize: intake.batchBytes,
      maxWaiting: intake.maxWaitingBytes,
      onFull: () => new IntakeUnavailable({}),
    })

    const unavailable = (error: StorageError): Effect.Effect<never, IntakeUnavailable> =>
      Effect.zipRight(
        outage.logFailure("Errors cannot be accepted", Cause.fail(error)),
        new IntakeUnavailable({ cause: error }),
      )

    /** The project of a token; `projectId` is the one that the address names, null where it names none. */
    const authenticate = (
      token: string,
      projectId: number | null,
    ): Effect.Effect<ProjectId, UnknownCredential | IntakeUnavailable> => {
      // Guesses of any other form are not worth a question to the storage.
      if (!isProjectToken(token)) return new UnknownCredential()
      return credentials.find(token).pipe(
        Effect.catchAll(unavailable),
        Effect.flatMap((found) =>
          Option.isSome(found) && (projectId === null || projectId === found.value)
            ? Effect.succeed(found.value)
            : new UnknownCredential(),
        ),
      )
    }

    /** Stores the payloads of one request, all or none. They are durable when this succeeds. */
    const accept = (payloads: ReadonlyArray<Payload>): Effect.Effect<void, IntakeUnavailable> =>
      Effect.catchAll(writer.commit(payloads), (error) =>
        error._tag === "IntakeUnavailable" ? error : unavailable(error),
      )

    return { authenticate, accept }
  }),
}) {}

// internal

const isProjectToken = Schema.is(ProjectToken)

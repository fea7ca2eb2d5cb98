/** Accepts errors: authenticates them and makes them durable. The recorder decodes them later. */
import { Cause, Context, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import * as GroupCommit from "../internal/GroupCommit.js"
import * as Instruments from "../metric/Instruments.js"
import type { Payload } from "../payload/PayloadDecoder.js"
import { type ProjectId, ProjectToken } from "../project/Project.js"
import * as ProjectContacts from "../project/ProjectContacts.js"
import { ProjectCredentials } from "../project/ProjectCredentials.js"
import type { StorageError } from "../storage/StorageError.js"
import { StorageOutage } from "../storage/StorageOutage.js"
import { IntakeGuard } from "./IntakeGuard.js"
import type { IntakePaused } from "./IntakePaused.js"
import { PendingPayloads } from "./PendingPayloads.js"
import type { QueueSize } from "./QueueEstimate.js"
import { RecorderSignal } from "./RecorderSignal.js"

/** No project has this token, or the address names another project. */
export class UnknownCredential extends Schema.TaggedError<UnknownCredential>()("UnknownCredential", {}) {}

/** Errors cannot be made durable now. Nothing was stored; a retry may succeed. */
export class IntakeUnavailable extends Schema.TaggedError<IntakeUnavailable>()("IntakeUnavailable", {
  cause: Schema.optional(Schema.Defect()),
}) {}

/** Accepts payloads. Closing its scope finishes current writes and rejects new ones. */
export class Intake extends Context.Service<Intake>()("@errata/core/ingest/Intake", {
  make: Effect.gen(function* () {
    const { intake } = yield* ErrataConfig
    const credentials = yield* ProjectCredentials
    const pending = yield* PendingPayloads
    const guard = yield* IntakeGuard
    const signal = yield* RecorderSignal
    const outage = yield* StorageOutage
    const touch = yield* ProjectContacts.make

    const writer = yield* GroupCommit.make<ReadonlyArray<Payload>, StorageError | IntakeUnavailable>({
      write: (requests) => {
        const payloads = requests.flat()
        const size = sizeOf(payloads)
        const began = performance.now()
        return pending.append(payloads).pipe(
          Effect.onExit((exit) => Effect.sync(() => guard.settle(size, Exit.isSuccess(exit)))),
          Effect.tap(() => {
            Instruments.intakeWrite((performance.now() - began) / 1000)
            Instruments.payloadsAccepted(payloads.length)
            Instruments.payloadBytesAccepted(size.bytes)
            return signal.raise
          }),
          Effect.tapError(() => Effect.sync(() => Instruments.intakeFailures(1))),
        )
      },
      size: bytesOf,
      maxItems: intake.batchPayloads,
      maxSize: intake.batchBytes,
      maxWaiting: intake.maxWaitingBytes,
      gatheringMillis: Duration.toMillis(intake.gatheringTime),
      onFull: (payloads) => {
        guard.settle(sizeOf(payloads), false)
        return new IntakeUnavailable({})
      },
    })

    const unavailable = (error: StorageError): Effect.Effect<never, IntakeUnavailable> =>
      Effect.andThen(
        outage.logFailure("Accepting errors failed", Cause.fail(error)),
        new IntakeUnavailable({ cause: error }),
      )

    /** Returns the project of a token. `projectId` is the one that the address names, or null. */
    const authenticate = (
      token: string,
      projectId: number | null,
    ): Effect.Effect<ProjectId, UnknownCredential | IntakeUnavailable> => {
      // Tokens of another form are not queried.
      if (credentials.peek(token) === null && !isProjectToken(token)) return new UnknownCredential()
      return Effect.flatMap(Effect.catch(credentials.find(token), unavailable), (found) => {
        if (Option.isNone(found) || (projectId !== null && projectId !== found.value)) {
          return new UnknownCredential()
        }
        touch(found.value)
        return Effect.succeed(found.value)
      })
    }

    /**
     * Stores the payloads of one request, all or none; `errors` of them become reports. They are durable on success.
     * `isOwn` is true for errors of this process, which the rate counts and does not refuse.
     */
    const accept = (
      payloads: ReadonlyArray<Payload>,
      errors: number = payloads.length,
      isOwn = false,
    ): Effect.Effect<void, IntakeUnavailable | IntakePaused> =>
      Effect.suspend(() => {
        const [first] = payloads
        // Payloads that this process captured have no token.
        if (first !== undefined) touch(first.projectId)
        // The commit follows the admission at once, so an interruption cannot separate them.
        const written = Effect.flatMap(guard.admit({ ...sizeOf(payloads), errors, isOwn }), () =>
          writer.commit(payloads),
        )
        return Effect.catchTag(written, "StorageError", unavailable)
      })

    return { authenticate, accept }
  }),
}) {
  static readonly DefaultWithoutDependencies = Layer.effect(this, this.make)
  static readonly Default = this.DefaultWithoutDependencies.pipe(
    Layer.provide([ProjectCredentials.Default, IntakeGuard.Default]),
  )
}

// internal

const isProjectToken = Schema.is(ProjectToken)

const sizeOf = (payloads: ReadonlyArray<Payload>): QueueSize => ({
  payloads: payloads.length,
  bytes: bytesOf(payloads),
})

const bytesOf = (payloads: ReadonlyArray<Payload>): number => {
  let bytes = 0
  for (const { body } of payloads) bytes += body.byteLength
  return bytes
}

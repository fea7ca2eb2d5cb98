/**
 * The way in for errors: whose they are, and making them durable. Nothing is decoded here; that is the recorder's.
 */
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
import { type IntakeDemand, IntakeGuard } from "./IntakeGuard.js"
import type { IntakePaused } from "./IntakePaused.js"
import { PendingPayloads } from "./PendingPayloads.js"
import { RecorderSignal } from "./RecorderSignal.js"

/** No project has this token, or it is another project's than the one addressed. */
export class UnknownCredential extends Schema.TaggedError<UnknownCredential>()("UnknownCredential", {}) {}

/** Errors cannot be made durable now; the sender may try again later. Nothing was stored. */
export class IntakeUnavailable extends Schema.TaggedError<IntakeUnavailable>()("IntakeUnavailable", {
  cause: Schema.optional(Schema.Defect()),
}) {}

/** Accepts payloads. Closing its scope finishes the writes under way and refuses what comes later. */
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
        const began = performance.now()
        return pending.append(payloads).pipe(
          Effect.tap(() => {
            Instruments.intakeWrite((performance.now() - began) / 1000)
            Instruments.payloadsAccepted(payloads.length)
            Instruments.payloadBytesAccepted(bytesOf(payloads))
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
      onFull: () => new IntakeUnavailable({}),
    })

    const runFork = Effect.runForkWith(yield* Effect.context<never>())

    const unavailable = (error: StorageError): Effect.Effect<never, IntakeUnavailable> =>
      Effect.andThen(
        outage.logFailure("Accepting errors failed", Cause.fail(error)),
        new IntakeUnavailable({ cause: error }),
      )

    const contacted = (id: ProjectId) =>
      Effect.sync(() => {
        touch(id)
        return id
      })

    /** The project of a token; `projectId` is the one that the address names, null where it names none. */
    const authenticate = (
      token: string,
      projectId: number | null,
    ): Effect.Effect<ProjectId, UnknownCredential | IntakeUnavailable> => {
      // Guesses of any other form are not worth a question to the storage.
      if (!isProjectToken(token)) return new UnknownCredential()
      return credentials.find(token).pipe(
        Effect.catch(unavailable),
        Effect.flatMap((found) =>
          Option.isSome(found) && (projectId === null || projectId === found.value)
            ? contacted(found.value)
            : new UnknownCredential(),
        ),
      )
    }

    /**
     * The project of a token that came lately, without a look at the storage; null where `authenticate` has to tell.
     * Every event asks.
     */
    const recognize = (token: string, projectId: number | null): ProjectId | null => {
      const found = credentials.peek(token)
      if (found === null || (projectId !== null && projectId !== found)) return null
      touch(found)
      return found
    }

    const failed = (
      cause: Cause.Cause<StorageError | IntakeUnavailable>,
      done: (outcome: Exit.Exit<void, IntakeUnavailable>) => void,
    ): void => {
      const told = Effect.catch(Effect.failCause(cause), (error) =>
        error._tag === "IntakeUnavailable" ? error : unavailable(error),
      )
      runFork(told).addObserver(done)
    }

    /**
     * Stores the payloads of one request, all or none; `errors` of them become reports. They are durable when `done` is
     * called with a success. A callback, which must not throw: every event comes this way, and a fiber for each would
     * cost a fifth of accepting it. `isOwn` is true for errors of this process, which the rate does not refuse.
     */
    const offer = (
      payloads: ReadonlyArray<Payload>,
      errors: number,
      done: (outcome: Exit.Exit<void, IntakeUnavailable | IntakePaused>) => void,
      isOwn = false,
    ): void => {
      const [first] = payloads
      // Those that are captured in the process come without a token.
      if (first !== undefined) touch(first.projectId)
      const demand: IntakeDemand = { errors, payloads: payloads.length, bytes: bytesOf(payloads), isOwn }
      guard.admit(demand, (refused) => {
        if (refused !== null) {
          if (refused._tag === "IntakePaused") done(Exit.fail(refused))
          else failed(Cause.fail(refused), done)
          return
        }
        writer.offer(payloads, (outcome) => {
          const isWritten = Exit.isSuccess(outcome)
          guard.settle(demand, isWritten)
          if (isWritten) done(Exit.void)
          else failed(outcome.cause, done)
        })
      })
    }

    /** The same as an effect. */
    const accept = (
      payloads: ReadonlyArray<Payload>,
      errors: number = payloads.length,
    ): Effect.Effect<void, IntakeUnavailable | IntakePaused> =>
      Effect.callback((resume) => offer(payloads, errors, resume))

    return { authenticate, recognize, offer, accept }
  }),
}) {
  static readonly DefaultWithoutDependencies = Layer.effect(this, this.make)
  static readonly Default = this.DefaultWithoutDependencies.pipe(
    Layer.provide([ProjectCredentials.Default, IntakeGuard.Default]),
  )
}

// internal

const isProjectToken = Schema.is(ProjectToken)

const bytesOf = (payloads: ReadonlyArray<Payload>): number => {
  let bytes = 0
  for (const { body } of payloads) bytes += body.byteLength
  return bytes
}

/** Reporting errors of the application itself: they are accepted like those that come over the network. */
import { hostname } from "node:os"
import {
  ErrataConfig,
  Intake,
  type IntakePaused,
  type IntakeUnavailable,
  type Payload,
  ProjectId,
  ProjectNotFound,
  ProjectStore,
  Secrets,
  type StorageError,
} from "@errata/core"
import { Context, Duration, Effect, Exit, Layer, Option, Schema, type Tracer } from "effect"
import type { CaptureContext, ProjectRef } from "./capture/CaptureContext.js"
import { type EventDefaults, eventOf } from "./capture/EventOfError.js"
import { FirstProject } from "./FirstProject.js"

export interface CaptureOptions extends Partial<EventDefaults> {}

export type CaptureFailure = ProjectNotFound | IntakePaused | IntakeUnavailable | StorageError

/** Reports errors. `errata` and whoever uses its layers share it. */
export class Capture extends Context.Service<Capture>()("errata/Capture", {
  make: (options: CaptureOptions = {}) =>
    Effect.gen(function* () {
      const { ingestLimits, intake: settings } = yield* ErrataConfig
      const intake = yield* Intake
      const projects = yield* ProjectStore
      const first = yield* FirstProject
      const clock = yield* Effect.clockWith(Effect.succeed)
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const ttlMillis = Duration.toMillis(settings.credentialTtl)
      const defaults: EventDefaults = {
        environment: options.environment,
        release: options.release,
        serverName: options.serverName ?? hostname(),
        root: options.root ?? process.cwd(),
      }
      /** Projects that were there lately, and until when that is believed. */
      const known = new Map<number, number>()

      const find = (id: number): Effect.Effect<ProjectId, ProjectNotFound | StorageError> =>
        Schema.is(ProjectId)(id)
          ? Effect.flatMap(projects.find(id), (found) => {
              if (Option.isNone(found)) return new ProjectNotFound({ projectId: id })
              if (known.size >= maxKnown) known.clear()
              known.set(id, clock.currentTimeMillisUnsafe() + ttlMillis)
              return Effect.succeed(id)
            })
          : Effect.fail(new ProjectNotFound({ projectId: id as ProjectId }, { disableChecks: true }))

      /**
       * Reports an error and answers its event's id: durable, if `done` gets a success. A callback, which must not throw,
       * because a fiber for each event would cost more than accepting it.
       */
      const offer = (
        error: unknown,
        context: CaptureContext,
        done: (outcome: Exit.Exit<string, CaptureFailure>) => void,
      ): void => {
        const eventId = Secrets.generateEventId()
        const now = clock.currentTimeMillisUnsafe()
        const about = { ...defaults, eventId, now, maxBytes: ingestLimits.maxEventBytes }
        const body = readable(
          () => eventOf(error, context, about),
          // Something in it cannot be read at all, which is no reason to lose the error.
          () => eventOf(error, {}, about),
        )
        const accept = (projectId: ProjectId) => {
          const payload: Payload = { projectId, eventId, kind: "event", receivedAt: now, body }
          intake.offer([payload], 1, (outcome) => done(Exit.map(outcome, () => eventId)), true)
        }
        const id = readable(
          () => projectIdOf(context.project, first.id),
          () => first.id,
        )
        if ((known.get(id) ?? 0) > now) {
          accept(id as ProjectId)
          return
        }
        runFork(find(id)).addObserver((exit) => {
          if (Exit.isSuccess(exit)) accept(exit.value)
          else done(Exit.failCause(exit.cause))
        })
      }

      /** The same as an effect, which adds the ids of its span and its fiber. */
      const capture = (error: unknown, context: CaptureContext = {}): Effect.Effect<string, CaptureFailure> =>
        Effect.gen(function* () {
          const span = Option.getOrUndefined(yield* Effect.option(Effect.currentParentSpan))
          const fiber = { id: yield* Effect.fiberId }
          const contexts = { ...traceOf(span), fiber, ...context.contexts }
          return yield* Effect.callback<string, CaptureFailure>((resume) =>
            offer(error, { ...context, contexts }, resume),
          )
        })

      return { capture, offer }
    }),
}) {
  static readonly Default = (options?: CaptureOptions) => Layer.effect(this, this.make(options))
}

// internal

const maxKnown = 1_000

const traceOf = (span: Tracer.AnySpan | undefined) =>
  span === undefined ? {} : { trace: { trace_id: span.traceId, span_id: span.spanId } }

const projectIdOf = (project: ProjectRef | undefined, first: number): number =>
  project === undefined ? first : typeof project === "number" ? project : project.id

const readable = <A>(make: () => A, otherwise: () => A): A => {
  try {
    return make()
  } catch {
    return otherwise()
  }
}

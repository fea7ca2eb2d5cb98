/** Reports errors of the application itself. They pass the same intake as events from the network. */
import { hostname } from "node:os"
import {
  ErrataConfig,
  Intake,
  type IntakePaused,
  type IntakeUnavailable,
  ProjectId,
  ProjectNotFound,
  type StorageError,
} from "@errata/core"
import { Secrets } from "@errata/core/internal"
import { ProjectStore } from "@errata/core/ports"
import {
  bytesOf,
  type CaptureContext,
  type CaptureEvent,
  type EventDefaults,
  type EventParts,
  environmentOf,
  eventOf,
  eventOfMessage,
  type ProjectRef,
  releaseOf,
} from "@errata/effect/capture"
import { Context, Duration, Effect, Layer, Option, Schema, type Tracer } from "effect"
import { FirstProject } from "./FirstProject.js"
import { readable } from "./Readable.js"

/** Defaults for the context of reports. */
export interface CaptureOptions extends Partial<EventDefaults> {}

/** Failures of a capture. */
export type CaptureFailure = ProjectNotFound | IntakePaused | IntakeUnavailable | StorageError

/** Reports errors. `errata` and users of its layers share it. */
export class Capture extends Context.Service<Capture>()("errata/Capture", {
  make: (options: CaptureOptions = {}) =>
    Effect.gen(function* () {
      const { ingestLimits, intake: settings } = yield* ErrataConfig
      const intake = yield* Intake
      const projects = yield* ProjectStore
      const first = yield* FirstProject
      const clock = yield* Effect.clockWith(Effect.succeed)
      const ttlMillis = Duration.toMillis(settings.credentialTtl)
      const defaults: EventDefaults = {
        environment: options.environment ?? environmentOf(process.env),
        release: options.release ?? releaseOf(process.env),
        serverName: options.serverName ?? hostname(),
        root: options.root ?? process.cwd(),
      }
      /** Projects that exist, with the expiry of the cache entry in epoch milliseconds. */
      const known = new Map<number, number>()

      /** Fails for an unknown project: its events would be accepted and then discarded. */
      const find = Effect.fnUntraced(function* (id: number) {
        const now = clock.currentTimeMillisUnsafe()
        if (!Schema.is(ProjectId)(id)) {
          return yield* new ProjectNotFound({ projectId: id as ProjectId }, { disableChecks: true })
        }
        if ((known.get(id) ?? 0) > now) return id
        if (Option.isNone(yield* projects.find(id))) return yield* new ProjectNotFound({ projectId: id })
        if (known.size >= maxKnown) known.clear()
        known.set(id, clock.currentTimeMillisUnsafe() + ttlMillis)
        return id
      })

      const parts = (): EventParts => ({
        ...defaults,
        eventId: Secrets.generateEventId(),
        now: clock.currentTimeMillisUnsafe(),
      })

      /** Builds the event synchronously, before the error or its context can change. */
      const read = (error: unknown, context: CaptureContext = {}): CaptureEvent =>
        eventOf(error, context, parts())

      const readMessage = (message: string, context: CaptureContext = {}): CaptureEvent =>
        eventOfMessage(message, context, parts())

      /** Accepts an event and returns its id once it is durable. */
      const send = (event: CaptureEvent, project?: ProjectRef): Effect.Effect<string, CaptureFailure> =>
        Effect.suspend(() => {
          const eventId = event.event_id
          const body = bytesOf(event, ingestLimits.maxEventBytes)
          const now = clock.currentTimeMillisUnsafe()
          const accepted = Effect.flatMap(find(projectIdOf(project, first.id)), (projectId) =>
            intake.accept([{ projectId, eventId, kind: "event", receivedAt: now, body }], 1, true),
          )
          return Effect.as(accepted, eventId)
        })

      /** Reports an error and returns the id of its event once that is durable. The event is built synchronously. */
      const report = (error: unknown, context: CaptureContext = {}): Effect.Effect<string, CaptureFailure> =>
        Effect.suspend(() => send(read(error, context), projectOf(context)))

      /** `report` with the ids of the calling span and fiber. */
      const capture = (error: unknown, context: CaptureContext = {}): Effect.Effect<string, CaptureFailure> =>
        Effect.gen(function* () {
          const span = Option.getOrUndefined(yield* Effect.option(Effect.currentParentSpan))
          const fiber = { id: yield* Effect.fiberId }
          return yield* report(error, {
            ...context,
            contexts: { ...traceOf(span), fiber, ...context.contexts },
          })
        })

      return { capture, find, read, readMessage, report, send }
    }),
}) {
  static readonly Default = (options?: CaptureOptions) => Layer.effect(this, this.make(options))
}

// internal

const maxKnown = 1_000

const traceOf = (span: Tracer.AnySpan | undefined) =>
  span === undefined ? {} : { trace: { trace_id: span.traceId, span_id: span.spanId } }

const projectOf = (context: CaptureContext): ProjectRef | undefined => readable(() => context.project)

const projectIdOf = (project: ProjectRef | undefined, first: number): number =>
  project === undefined ? first : typeof project === "number" ? project : project.id

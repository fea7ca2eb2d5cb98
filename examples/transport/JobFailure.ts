/** What this company's workers put on a queue when a job fails, and what Errata makes of it. */
import {
  type ErrorEvent,
  makeErrorEvent,
  type Payload,
  PayloadDecodeError,
  PayloadDecoder,
} from "@errata/core/ports"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Effect, Layer, Result, Schema } from "effect"

/** A transport bounds what it takes: events are stored as they are. */
const Text = Schema.String.pipe(Schema.check(Schema.isMaxLength(8_192)))

export const JobFailure = Schema.Struct({
  job: Text,
  attempt: Schema.Int,
  host: Text,
  /** ISO 8601. */
  failedAt: Schema.DateFromString,
  error: Schema.Struct({
    name: Text,
    message: Text,
    /** Innermost call first, as Node prints it. */
    stack: Schema.Array(Schema.Struct({ file: Text, line: Schema.Int, function: Text })).pipe(
      Schema.check(Schema.isMaxLength(200)),
    ),
  }),
})
export type JobFailure = typeof JobFailure.Type

/** How payloads of this transport are marked, so that its decoder knows them. */
export const kind = "job-failure"

const toEvent = (failure: JobFailure, eventId: string): ErrorEvent =>
  makeErrorEvent({
    eventId,
    occurredAt: failure.failedAt.getTime(),
    serverName: failure.host,
    tags: [{ key: "job", value: failure.job }],
    transaction: failure.job,
    exceptions: [
      {
        type: failure.error.name,
        value: failure.error.message,
        mechanism: { type: "job", handled: false },
        // Errata wants the outermost call first.
        frames: failure.error.stack
          .map(({ file, function: name, line }) => ({
            filename: file,
            lineno: line,
            function: name,
            in_app: true,
          }))
          .reverse(),
      },
    ],
    extras: [{ key: "attempt", value: failure.attempt }],
  })

const read = Schema.decodeUnknownResult(Schema.fromJsonString(JobFailure))

const decodeFailure = ({ body, eventId }: Payload) =>
  read(new TextDecoder().decode(body)).pipe(
    Result.mapBoth({
      onFailure: ({ message }) => new PayloadDecodeError({ reason: message }),
      onSuccess: (failure) => ({
        event: toEvent(failure, eventId),
        attachments: [],
        feedback: [],
        discarded: [],
      }),
    }),
  )

/** Decodes what comes from the queue, and leaves to Sentry's decoder what came over HTTP. */
export const decoder: Layer.Layer<PayloadDecoder> = Layer.effect(
  PayloadDecoder,
  Effect.map(PayloadDecoder, (sentry) => ({
    ...sentry,
    decode: (payload: Payload) => (payload.kind === kind ? decodeFailure(payload) : sentry.decode(payload)),
  })),
).pipe(Layer.provide(SentryPayloadDecoder.layer()))

/** A protocol for tests: a body is the JSON of a tiny event. Events of one `group` belong together. */
import type { ProjectId } from "@errata/core"
import {
  type DiscardedEvents,
  type ErrorEvent,
  type Payload,
  PayloadDecodeError,
  PayloadDecoder,
  type UserFeedback,
} from "@errata/core/ports"
import { Layer, Result } from "effect"
import * as Factory from "./Factory.js"

/** The contents of a test payload. */
export interface TestEvent {
  /** Null for a payload without an event. */
  readonly group?: string | null
  readonly message?: string
  readonly severity?: ErrorEvent["severity"]
  /** Epoch milliseconds. */
  readonly occurredAt?: number
  readonly release?: string
  readonly environment?: string
  readonly serverName?: string
  /** The id of its user. */
  readonly user?: string
  readonly tags?: Readonly<Record<string, string>>
  /** What was cut off it. */
  readonly truncations?: ReadonlyArray<string>
  /** The names of attached files. */
  readonly attachments?: ReadonlyArray<string>
  readonly feedback?: ReadonlyArray<UserFeedback>
  readonly discarded?: ReadonlyArray<DiscardedEvents>
  /** `undecodable` and `throws` make the decoder fail; others are the platform of the event, for stores to see. */
  readonly fault?: string
}

/** A payload that the test decoder reads. */
export const payload = (
  projectId: ProjectId,
  event: TestEvent = {},
  overrides: Partial<Payload> = {},
): Payload =>
  Factory.payload(projectId, { body: new TextEncoder().encode(JSON.stringify(event)), ...overrides })

/** A decoder of test payloads. */
export const layer: Layer.Layer<PayloadDecoder> = Layer.succeed(PayloadDecoder, {
  example: () => ({ kind: "event", body: new TextEncoder().encode(JSON.stringify({ message: "example" })) }),
  decode: (payload) => {
    const event = JSON.parse(new TextDecoder().decode(payload.body)) as TestEvent
    if (event.fault === "undecodable") return Result.fail(new PayloadDecodeError({ reason: "undecodable" }))
    // What no decoder may do, and a recorder must survive.
    if (event.fault === "throws") throw new Error("the decoder broke")
    return Result.succeed({
      event: event.group === null ? null : toErrorEvent(payload, event),
      attachments: (event.attachments ?? []).map((filename) => ({
        filename,
        contentType: "text/plain",
        type: "event.attachment",
        body: new TextEncoder().encode(filename),
      })),
      feedback: event.feedback ?? [],
      discarded: event.discarded ?? [],
    })
  },
})

// internal

const toErrorEvent = (payload: Payload, event: TestEvent): ErrorEvent =>
  Factory.errorEvent({
    eventId: payload.eventId,
    occurredAt: event.occurredAt ?? payload.receivedAt,
    platform: event.fault ?? "node",
    severity: event.severity ?? "error",
    serverName: event.serverName ?? "",
    environment: event.environment ?? "",
    release: event.release ?? "",
    tags: Object.entries(event.tags ?? {}).map(([key, value]) => ({ key, value })),
    details: Factory.eventDetails({
      custom_fingerprint: [event.group ?? "default"],
      exceptions: [{ type: "Error", value: event.message ?? "boom", frames: [] }],
      user: Factory.eventUser({ user_id: event.user ?? "" }),
      ingest_truncations: event.truncations ?? [],
    }),
  })

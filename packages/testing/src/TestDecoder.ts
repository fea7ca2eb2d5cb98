/** A protocol for tests: the body is JSON of a small event. Events with the same `group` are grouped together. */
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
  /** Id of the user. */
  readonly user?: string
  readonly tags?: Readonly<Record<string, string>>
  /** Names of truncated fields. */
  readonly truncations?: ReadonlyArray<string>
  /** Names of attached files. */
  readonly attachments?: ReadonlyArray<string>
  readonly feedback?: ReadonlyArray<UserFeedback>
  readonly discarded?: ReadonlyArray<DiscardedEvents>
  /** `undecodable` and `throws` make the decoder fail. Other faults are set as the platform, for faulty stores. */
  readonly fault?: string
}

/** A payload for the test decoder. */
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
    // A bug in a decoder, which a recorder must survive.
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

/** The body of a request: an event, and the numbers of those that were lost before it. */

/** Reasons for which an event was not delivered, as Sentry's protocol names them. */
export type DiscardReason = "network_error" | "queue_overflow" | "ratelimit_backoff" | "send_error"

export type Discarded = ReadonlyMap<DiscardReason, number>

export interface EncodedEvent {
  readonly eventId: string
  readonly body: Uint8Array
}

export const envelopeOf = (
  { body, eventId }: EncodedEvent,
  discarded: Discarded,
  now: number,
): Buffer<ArrayBuffer> => {
  const sentAt = new Date(now).toISOString()
  return Buffer.concat([
    Buffer.from(
      `${JSON.stringify({ event_id: eventId, sent_at: sentAt })}\n` +
        `${JSON.stringify({ type: "event", length: body.byteLength })}\n`,
    ),
    body,
    Buffer.from(discarded.size === 0 ? "\n" : `\n{"type":"client_report"}\n${reportOf(discarded, now)}\n`),
  ])
}

// internal

const reportOf = (discarded: Discarded, now: number): string =>
  JSON.stringify({
    timestamp: now / 1000,
    discarded_events: [...discarded].map(([reason, quantity]) => ({ reason, category: "error", quantity })),
  })

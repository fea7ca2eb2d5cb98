/** One attempt to send a delivery: to a webhook, or by the kind of its target. */
import { Clock, type Duration, Effect, Random } from "effect"
import type { AttemptResult, LeasedDelivery } from "../delivery/DeliveryStore.js"
import * as RetryPolicy from "../delivery/RetryPolicy.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Instruments from "../metric/Instruments.js"
import { webhookKind } from "../notification/Target.js"
import * as NotificationAttempt from "./NotificationAttempt.js"
import type { SendFailed, Sent } from "./SendFailed.js"
import * as WebhookAttempt from "./WebhookAttempt.js"

/** Sends a delivery within `timeout`, and never fails. */
export const make = Effect.gen(function* () {
  const { maxAttempts } = (yield* ErrataConfig).webhooks
  const pauses = yield* RetryPolicy.RetryPauses
  const sendWebhook = yield* WebhookAttempt.make
  const sendNotification = yield* NotificationAttempt.make
  const counts = Instruments.sending()

  /** A requested message is tried once: the user sees the result and can retry. */
  const pauseAfter = (delivery: LeasedDelivery, { isRetryable, retryAfter }: SendFailed) =>
    isAskedFor(delivery)
      ? Effect.succeed(null)
      : Effect.map(Random.next, (random) =>
          isRetryable
            ? RetryPolicy.pauseAfter(delivery.attempts + 1, maxAttempts, pauses, retryAfter, random)
            : null,
        )

  return Effect.fnUntraced(function* (delivery: LeasedDelivery, timeout: Duration.Duration) {
    if (!delivery.enabled && !isAskedFor(delivery)) {
      return gaveUp(`the ${delivery.kind === webhookKind ? "webhook" : "target"} is disabled`)
    }
    const startedAt = yield* Clock.currentTimeMillis
    const send = delivery.kind === webhookKind ? sendWebhook : sendNotification
    const ended = (end: Pick<AttemptResult, "status" | "responseStatus" | "error" | "pause">) =>
      Effect.map(Clock.currentTimeMillis, (now): AttemptResult => ({ ...end, durationMs: now - startedAt }))
    const result = yield* send(delivery, timeout).pipe(
      Effect.matchEffect({
        onSuccess: ({ status }: Sent) =>
          ended({ status: "succeeded", responseStatus: status, error: null, pause: null }),
        onFailure: (failure) =>
          Effect.flatMap(pauseAfter(delivery, failure), (pause) =>
            ended({
              status: pause === null ? "failed" : "pending",
              responseStatus: failure.status,
              error: failure.detail,
              pause,
            }),
          ),
      }),
    )
    counts.attempts[result.status](1)
    counts.attempt(result.durationMs / 1000)
    return result
  })
})

// internal

/** Summaries and digests have no group either, but are retried: no user waits for them. */
const isAskedFor = ({ event, groupId, resendOf }: LeasedDelivery): boolean =>
  groupId === null &&
  (resendOf !== null || event === "notification.test" || !event.startsWith("notification."))

const gaveUp = (error: string): AttemptResult => ({
  status: "failed",
  responseStatus: null,
  error,
  durationMs: 0,
  pause: null,
})

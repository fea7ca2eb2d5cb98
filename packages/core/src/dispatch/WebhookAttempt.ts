/** One attempt to send a delivery to a webhook: signs and sends it, and evaluates the response. */
import { Clock, type Duration, Effect } from "effect"
import type { LeasedDelivery } from "../delivery/DeliveryStore.js"
import * as OutboundText from "../delivery/OutboundText.js"
import * as RetryPolicy from "../delivery/RetryPolicy.js"
import * as Keyring from "../encryption/Keyring.js"
import * as TargetSecret from "../notification/TargetSecret.js"
import { OutboundClient } from "../outbound/OutboundClient.js"
import * as WebhookSignature from "../webhook/WebhookSignature.js"
import { SendFailed, type Sent } from "./SendFailed.js"

/** Sends a delivery of a webhook. */
export const make = Effect.gen(function* () {
  const client = yield* OutboundClient
  const keyring = yield* Keyring.Keyring

  const post = Effect.fnUntraced(function* (delivery: LeasedDelivery, timeout: Duration.Duration) {
    const { projectId, requestBody, secret, url } = delivery
    // Only for the types: every webhook has a URL and a secret.
    if (secret === null || url === null) return yield* SendFailed.of("the webhook has no URL", false)
    const key = yield* TargetSecret.open(keyring, { projectId, secret })
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    return yield* client.send({
      method: "POST",
      url,
      headers: {
        "content-type": "application/json",
        "user-agent": "Errata",
        ...WebhookSignature.headersOf(key, messageId(delivery), timestamp, requestBody),
      },
      body: requestBody,
      timeout,
      maxBodyBytes,
    })
  })

  return (delivery: LeasedDelivery, timeout: Duration.Duration): Effect.Effect<Sent, SendFailed> =>
    post(delivery, timeout).pipe(
      Effect.catchTags({
        OutboundFailed: (failure) => SendFailed.of(OutboundText.ofFailure(failure), true),
        OutboundRefused: (refusal) => SendFailed.of(OutboundText.ofRefusal(refusal), false),
        // An operator who lost a key can restore it.
        SecretUnreadable: ({ keyId }) =>
          SendFailed.of(
            `the webhook's secret was encrypted with the key ${keyId}, which is not configured`,
            true,
          ),
      }),
      Effect.flatMap(({ headers, status }) =>
        Effect.gen(function* () {
          if (status >= 200 && status <= 299) return { status }
          return yield* new SendFailed({
            detail: OutboundText.ofStatus(status),
            isRetryable: RetryPolicy.isRetried(status),
            status,
            retryAfter: RetryPolicy.readRetryAfter(headers["retry-after"], yield* Clock.currentTimeMillis),
          })
        }),
      ),
    )
})

// internal

/** Maximum bytes that are read of a response. A connection with a longer response is closed, not reused. */
const maxBodyBytes = 1024

/** The id stays the same for retries and resends, so that receivers can deduplicate. */
const messageId = ({ id, resendOf, targetId }: LeasedDelivery): string => `msg_${targetId}_${resendOf ?? id}`

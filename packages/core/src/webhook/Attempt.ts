/** One attempt to send a delivery: signed, sent, and judged by the answer. */
import { Clock, type Duration, Effect, Random } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Keyring from "../encryption/Keyring.js"
import * as Instruments from "../metric/Instruments.js"
import {
  type OutboundAnswer,
  OutboundClient,
  type OutboundFailed,
  type OutboundRefused,
} from "../outbound/OutboundClient.js"
import type { AttemptResult, LeasedDelivery } from "./DeliveryStore.js"
import * as RetryPolicy from "./RetryPolicy.js"
import * as WebhookSecret from "./WebhookSecret.js"
import * as WebhookSignature from "./WebhookSignature.js"

/** Sends a delivery, for as long as `timeout` at most; never fails. */
export const make = Effect.gen(function* () {
  const { webhooks: settings } = yield* ErrataConfig
  const client = yield* OutboundClient
  const keyring = yield* Keyring.Keyring
  const counts = Instruments.sending()

  /** What people asked for is tried once: they see what came of it, and can ask again. */
  const pauseAfter = (delivery: LeasedDelivery, retryAfter: Duration.Duration | null) =>
    delivery.groupId === null
      ? Effect.succeed(null)
      : Effect.map(Random.next, (random) =>
          RetryPolicy.pauseAfter(delivery.attempts + 1, settings, retryAfter, random),
        )

  const post = (delivery: LeasedDelivery, timeout: Duration.Duration) =>
    Effect.gen(function* () {
      const secret = yield* WebhookSecret.open(keyring, delivery)
      const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      return yield* client.send({
        method: "POST",
        url: delivery.url,
        headers: {
          "content-type": "application/json",
          "user-agent": "Errata",
          ...WebhookSignature.headersOf(secret, messageId(delivery), timestamp, delivery.requestBody),
        },
        body: delivery.requestBody,
        timeout,
        maxBodyBytes,
      })
    })

  return Effect.fnUntraced(function* (delivery: LeasedDelivery, timeout: Duration.Duration) {
    if (!delivery.enabled && delivery.groupId !== null) return gaveUp("the webhook is disabled")
    const startedAt = yield* Clock.currentTimeMillis
    const ended = (status: number | null, error: string | null, pause: Duration.Duration | null) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now): AttemptResult => ({
          status: pause === null ? (error === null ? "succeeded" : "failed") : "pending",
          responseStatus: status,
          error,
          durationMs: now - startedAt,
          pause,
        }),
      )
    const result = yield* post(delivery, timeout).pipe(
      Effect.flatMap(({ headers, status }: OutboundAnswer) =>
        Effect.gen(function* () {
          if (status >= 200 && status <= 299) return yield* ended(status, null, null)
          const error = `the receiver responded with ${status}`
          if (!RetryPolicy.isRetried(status)) return yield* ended(status, error, null)
          const now = yield* Clock.currentTimeMillis
          const retryAfter = RetryPolicy.readRetryAfter(headers["retry-after"], now)
          return yield* ended(status, error, yield* pauseAfter(delivery, retryAfter))
        }),
      ),
      Effect.catchTags({
        OutboundFailed: (failure) =>
          Effect.flatMap(pauseAfter(delivery, null), (pause) => ended(null, failureText(failure), pause)),
        OutboundRefused: (refusal) => ended(null, refusalText[refusal.reason], null),
        // An operator who has lost a key can put it back.
        SecretUnreadable: ({ keyId }) =>
          Effect.flatMap(pauseAfter(delivery, null), (pause) =>
            ended(
              null,
              `the webhook's secret was encrypted with the key ${keyId}, which is not configured`,
              pause,
            ),
          ),
      }),
    )
    counts.attempts[result.status](1)
    counts.attempt(result.durationMs / 1000)
    return result
  })
})

// internal

/** Enough for the answers that receivers send; connections with more left in them are closed. */
const maxBodyBytes = 1024

/** The same for a message that is sent again, by us or by a person, so that a receiver knows what it had already. */
const messageId = ({ id, resendOf, webhookId }: LeasedDelivery): string =>
  `msg_${webhookId}_${resendOf ?? id}`

const gaveUp = (error: string): AttemptResult => ({
  status: "failed",
  responseStatus: null,
  error,
  durationMs: 0,
  pause: null,
})

const refusalText: Readonly<Record<OutboundRefused["reason"], string>> = {
  private_address: "the receiver's address is not public",
  invalid_url: "the receiver's URL cannot be used",
}

const failureText = ({ detail, reason }: OutboundFailed): string => {
  switch (reason) {
    case "timeout":
      return "the receiver did not respond in time"
    case "name_not_found":
      return "the receiver's host name was not found"
    case "connection":
      return `the connection failed: ${detail}`
    case "tls":
      return `the TLS connection failed: ${detail}`
    case "protocol":
      return `the receiver did not respond in HTTP: ${detail}`
  }
}

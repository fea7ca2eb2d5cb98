/** Targets that get one HTTP request for each message: most chats and pagers. */
import { Clock, Duration, Effect } from "effect"
import * as OutboundText from "../delivery/OutboundText.js"
import { isRetried, readRetryAfter } from "../delivery/RetryPolicy.js"
import { type OutboundAnswer, OutboundClient } from "../outbound/OutboundClient.js"
import type { Notification } from "./Notification.js"
import {
  NotificationFailed,
  type NotificationTarget,
  type SendOptions,
  type TargetAddress,
} from "./NotificationTarget.js"

/** A request that delivers one message. */
export interface HttpMessage {
  /** `http` or `https`. */
  readonly url: string
  /** Besides `content-type` and `user-agent`, names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body: unknown
}

/** A target, with a request in place of `send`. It requires a base URL unless it says otherwise. */
export interface HttpTargetDefinition extends Omit<NotificationTarget, "send"> {
  readonly request: (notification: Notification, address: TargetAddress, options: SendOptions) => HttpMessage
  /** For receivers that respond with 200 to a rejected message: returns the reason, or null. */
  readonly refusal?: (answer: OutboundAnswer) => string | null
}

/**
 * Makes a target of a request. Statuses 408, 425, 429 and 5xx, and requests without an answer, are retried; a `Retry-After`
 * is followed.
 */
export const make = ({
  refusal = () => null,
  request,
  requiresBaseUrl = true,
  ...target
}: HttpTargetDefinition): NotificationTarget => ({
  ...target,
  requiresBaseUrl,
  send: Effect.fnUntraced(function* (notification, address, options) {
    const client = yield* OutboundClient
    const { body, headers = {}, url } = request(notification, address, options)
    const answer = yield* client
      .send({
        method: "POST",
        url,
        headers: { "content-type": "application/json", "user-agent": "Errata", ...headers },
        body: JSON.stringify(body),
        timeout: options.timeout,
        maxBodyBytes,
      })
      .pipe(
        Effect.catchTags({
          OutboundFailed: (failure) =>
            failed({ detail: OutboundText.ofFailure(failure), isRetryable: true, status: null }),
          OutboundRefused: (failure) =>
            failed({ detail: OutboundText.ofRefusal(failure), isRetryable: false, status: null }),
        }),
      )
    const { status } = answer
    if (status < 200 || status > 299) {
      const retryAfter = readRetryAfter(answer.headers["retry-after"], yield* Clock.currentTimeMillis)
      return yield* failed({
        detail: OutboundText.ofStatus(status),
        isRetryable: isRetried(status),
        status,
        retryAfterMs: retryAfter && Duration.toMillis(retryAfter),
      })
    }
    const refused = refusal(answer)
    if (refused !== null) return yield* failed({ detail: refused, isRetryable: false, status })
    return { status }
  }),
})

// internal

/** Answers of chats are short. */
const maxBodyBytes = 16 * 1024

const failed = (
  failure: Pick<NotificationFailed, "detail" | "isRetryable" | "status"> & {
    readonly retryAfterMs?: number | null
  },
) => new NotificationFailed({ retryAfterMs: null, isBounced: false, ...failure })

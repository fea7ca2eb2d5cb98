/** One attempt to send a notification, by the kind of its target. */
import { DateTime, Duration, Effect, Option } from "effect"
import type { LeasedDelivery } from "../delivery/DeliveryStore.js"
import * as Keyring from "../encryption/Keyring.js"
import { WebAddress } from "../group/WebUrl.js"
import { MemberMailStore } from "../notification/MemberMailStore.js"
import * as Notification from "../notification/Notification.js"
import {
  type NotificationFailed,
  type NotificationTarget,
  NotificationTargets,
  type TargetAddress,
} from "../notification/NotificationTarget.js"
import { mailKind, membersKind } from "../notification/Target.js"
import * as TargetSecret from "../notification/TargetSecret.js"
import * as UnsubscribeToken from "../notification/UnsubscribeToken.js"
import { OutboundClient } from "../outbound/OutboundClient.js"
import { UserStore } from "../user/UserStore.js"
import { SendFailed, type Sent } from "./SendFailed.js"

/** Sends a notification. */
export const make = Effect.gen(function* () {
  const client = yield* OutboundClient
  const keyring = yield* Keyring.Keyring
  const kinds = new Map((yield* NotificationTargets).map((target) => [target.kind, target]))
  const users = yield* UserStore
  const mail = yield* MemberMailStore
  const webAddress = yield* WebAddress

  const kindOf = ({ kind }: LeasedDelivery): Effect.Effect<NotificationTarget, SendFailed> => {
    const found = kinds.get(kind === membersKind ? mailKind : kind)
    if (found !== undefined) return Effect.succeed(found)
    return SendFailed.of(
      kind === membersKind || kind === mailKind
        ? "mail is not set up"
        : `this instance cannot send to targets of the kind ${kind}`,
      false,
    )
  }

  /** The mailbox of a message that goes to one; null for other kinds of targets. */
  const mailboxOf = Effect.fnUntraced(function* ({ kind, recipient, userId }: LeasedDelivery) {
    if (kind === mailKind) return recipient
    if (kind !== membersKind || userId === null) return null
    const user = Option.getOrNull(yield* storageFailed(users.find(userId)))
    if (user === null || !user.active) return yield* SendFailed.of("the person is no longer active", false)
    return user.emailAddress
  })

  const checkPaused = Effect.fnUntraced(function* (mailbox: string) {
    const [paused] = yield* storageFailed(mail.pausedAmong([mailbox.toLowerCase()]))
    if (paused === undefined) return
    return yield* SendFailed.of(
      `the address is paused, because mail to it came back: ${paused.detail}`,
      false,
    )
  })

  const addressOf = (delivery: LeasedDelivery, mailbox: string | null) =>
    Effect.map(
      TargetSecret.openFields(keyring, delivery),
      (secrets): TargetAddress => ({
        ...delivery.address,
        ...secrets,
        ...(mailbox === null ? {} : { to: mailbox }),
      }),
    )

  const unsubscribeUrl = (delivery: LeasedDelivery, mailbox: string | null) => {
    const { event, projectId, targetId, userId } = delivery
    if (mailbox === null || webAddress === null || event === "notification.test") return Effect.succeed(null)
    return UnsubscribeToken.make(
      userId === null
        ? { _tag: "Address", projectId, targetId, address: mailbox }
        : { _tag: "Member", projectId, userId },
    ).pipe(
      Effect.map((token) => `${webAddress}/unsubscribe/${token}`),
      Effect.provideService(Keyring.Keyring, keyring),
      Effect.orElseSucceed(() => null),
    )
  }

  const failed = Effect.fnUntraced(function* (failure: NotificationFailed, mailbox: string | null) {
    const { detail, isBounced, isRetryable, retryAfterMs, status } = failure
    if (isBounced && mailbox !== null) {
      const address = mailbox.toLowerCase()
      yield* storageFailed(mail.pause({ address, detail, pausedAt: yield* DateTime.now }))
    }
    return yield* new SendFailed({
      detail,
      isRetryable,
      status,
      retryAfter: retryAfterMs === null ? null : Duration.millis(retryAfterMs),
    })
  })

  return Effect.fnUntraced(function* (delivery: LeasedDelivery, timeout: Duration.Duration) {
    const kind = yield* kindOf(delivery)
    const mailbox = yield* mailboxOf(delivery)
    if (mailbox !== null) yield* checkPaused(mailbox)
    const notification = yield* Effect.catchTag(
      Notification.decode(delivery.requestBody),
      "SchemaError",
      () => SendFailed.of("the stored notification cannot be read", false),
    )
    const address = yield* Effect.catchTag(addressOf(delivery, mailbox), "SecretUnreadable", ({ keyId }) =>
      // An operator who lost a key can restore it.
      SendFailed.of(`the target was encrypted with the key ${keyId}, which is not configured`, true),
    )
    const options = { timeout, unsubscribeUrl: yield* unsubscribeUrl(delivery, mailbox) }
    return yield* kind.send(notification, address, options).pipe(
      Effect.provideService(OutboundClient, client),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => SendFailed.of("the receiver did not respond in time", true),
      }),
      Effect.catchTag("NotificationFailed", (failure) => failed(failure, mailbox)),
      // A target's own code may be at fault. The cause stays out of the history: it may contain a secret.
      Effect.catchDefect(() => SendFailed.of(`the code of the target ${kind.kind} failed`, true)),
      Effect.map(({ status }): Sent => ({ status })),
    )
  })
})

// internal

const storageFailed = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, SendFailed> =>
  Effect.mapError(effect, () => SendFailed.of("the database did not answer", true))

/** The port of targets: places that notifications are sent to, such as a chat, a pager, or an application's own code. */
import { Context, type Duration, Effect, Schema } from "effect"
import { mailKind } from "../delivery/Target.js"
import type { OutboundClient } from "../outbound/OutboundClient.js"
import type { Notification } from "./Notification.js"

/** A field of a target's address, such as the URL of a chat's webhook. */
export interface TargetField {
  /** Lower-case letters, digits and `_`, for REST and the command line. */
  readonly name: string
  /** For people, such as "Webhook URL". */
  readonly label: string
  /** One sentence that says where people find the value. */
  readonly description: string
  /** A secret is encrypted where it is stored, never returned, and never logged. */
  readonly isSecret: boolean
  readonly isRequired: boolean
  /** An example. */
  readonly placeholder: string
}

/** The values of a target's fields by name. Optional fields may be missing. At most 4,000 characters each. */
export type TargetAddress = Readonly<Record<string, string>>

/** One message, besides its content. */
export interface SendOptions {
  /** The time that all of the attempt may take. The caller interrupts it afterwards. */
  readonly timeout: Duration.Duration
  /** A person can stop the messages here without signing in; null if the target has no such link. */
  readonly unsubscribeUrl: string | null
}

/** The receiver's answer; `status` is null if its protocol has none. */
export interface SendAnswer {
  readonly status: number | null
}

/** The message was not delivered. */
export class NotificationFailed extends Schema.TaggedError<NotificationFailed>()("NotificationFailed", {
  /** One sentence for people. Contains no secret: it is stored and shown. */
  detail: Schema.String,
  /** True if another attempt may succeed. */
  isRetryable: Schema.Boolean,
  /** The pause that the receiver wants, in milliseconds. */
  retryAfterMs: Schema.NullOr(Schema.Number),
  status: Schema.NullOr(Schema.Int),
  /** True if the address does not exist: Errata sends nothing more to it until a person resumes it. */
  isBounced: Schema.Boolean,
}) {}

/** A kind of target: the fields of its addresses, and the code that sends to one. */
export interface NotificationTarget {
  /** 1 to 30 lower-case letters, digits and `_`. Stored with every target of the kind. `webhook` and `members` are taken. */
  readonly kind: string
  /** For people, such as "Slack". */
  readonly label: string
  readonly fields: ReadonlyArray<TargetField>
  /** True if messages need links: without a base URL the target cannot be made. Default: false. */
  readonly requiresBaseUrl?: boolean
  /** Checks an address, and returns its faults by field name. An empty record accepts it. */
  readonly check: (address: TargetAddress) => Readonly<Record<string, string>>
  /**
   * Sends one message. Errata repeats it if it fails in a retryable way, so a receiver may get a message twice. Calls may run at
   * the same time.
   */
  readonly send: (
    notification: Notification,
    address: TargetAddress,
    options: SendOptions,
  ) => Effect.Effect<SendAnswer, NotificationFailed, OutboundClient>
}

/** The kinds of targets that this instance can send to. Without a layer there are none but webhooks. */
export const NotificationTargets = Context.Reference("@errata/core/notification/NotificationTargets", {
  defaultValue: (): ReadonlyArray<NotificationTarget> => [],
})

/** True if this instance can send mail. */
export const sendsMail: Effect.Effect<boolean> = Effect.map(NotificationTargets, (kinds) =>
  kinds.some(({ kind }) => kind === mailKind),
)

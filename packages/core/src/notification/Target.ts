/** Targets of notifications: where the messages of a project's rules go. */
import type { DateTime } from "effect"
import type { TargetId } from "../delivery/Target.js"
import type { SealedSecret } from "../encryption/SealedSecret.js"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"
import type { TargetAddress } from "./NotificationTarget.js"

export { mailKind, membersKind, webhookKind } from "../delivery/Target.js"

/** A part of every day without messages. It ends on the next day if `from` is not before `to`. */
export interface QuietHours {
  /** Minutes since midnight, 0 to 1,439. */
  readonly from: number
  /** Minutes since midnight, 0 to 1,439; other than `from`. */
  readonly to: number
  /** An IANA time zone name. */
  readonly timezone: string
}

/** A place that notifications of a project are sent to. */
export interface Target {
  readonly id: TargetId
  readonly projectId: ProjectId
  /** The kind of a `NotificationTarget`, or `members`. */
  readonly kind: string
  readonly name: string
  readonly enabled: boolean
  /** The fields of the address that are no secrets. */
  readonly address: TargetAddress
  /** The secret fields as JSON, sealed; null if there are none. */
  readonly secret: SealedSecret | null
  readonly quietHours: QuietHours | null
  /** Since when every message has failed; null if the last one arrived. */
  readonly failingSince: DateTime.Utc | null
  /** The reason why Errata disabled it; null if a person did, or if it is enabled. */
  readonly disabledReason: string | null
  /** The person who gets a mail if Errata disables it. */
  readonly createdBy: UserId | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

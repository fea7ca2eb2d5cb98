/** Tables of targets, deliveries, alert rules and mail settings. */
import type { AlertRule, Delivery, MemberMail, PausedAddress, ProjectId, UserId } from "@errata/core"
import type { AlertState, NotificationWindow, StoredTarget } from "@errata/core/ports"
import type { DateTime } from "effect"
import { Family } from "./Family.js"
import { Ids } from "./Ids.js"
import { Rows } from "./Rows.js"

export interface NotificationWindowRow extends NotificationWindow {
  readonly sent: number
  readonly held: number
}

export interface MemberMailRow extends MemberMail {
  readonly projectId: ProjectId
  readonly userId: UserId
  /** The end of the last digest's period. */
  readonly digestAt: DateTime.Utc | null
}

/** A delivery with fields that only the storage uses. */
export interface DeliveryRow extends Omit<Delivery, "success"> {
  /** Epoch milliseconds: earliest time of a lease while it is pending. */
  readonly dueAt: number
  readonly leases: number
}

/** Makes empty tables. Composite keys are made by `keyOf`. */
export const makeNotificationTables = () => ({
  /** Including webhooks. */
  targets: new Rows<number, StoredTarget>(),
  /** By target, in epoch milliseconds: the last time a delivery was leased. */
  attended: new Rows<number, number>(),
  /** By project. */
  targetIds: new Family(() => new Ids()),
  deliveries: new Rows<number, DeliveryRow>(),
  /** By target. */
  deliveryIds: new Family(() => new Ids()),

  alertRules: new Rows<number, AlertRule>(),
  /** By project, rule and group; 0 for the project as a whole. */
  alertStates: new Rows<string, AlertState>(),
  /** By project, target and start; 0 for the project as a whole. */
  notificationWindows: new Rows<string, NotificationWindowRow>(),
  /** By project and user. */
  memberMail: new Rows<string, MemberMailRow>(),
  pausedAddresses: new Rows<string, PausedAddress>(),
})

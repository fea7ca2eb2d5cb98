/** Tables of targets, deliveries, alert rules and mail settings. */
import type { AlertRule, Delivery, MemberMail, PausedAddress, ProjectId, UserId } from "@errata/core"
import type { AlertState, NotificationWindow, StoredTarget } from "@errata/core/ports"
import type { DateTime } from "effect"
import { Family } from "./Family.js"
import { Ids } from "./Ids.js"
import { Rows } from "./Rows.js"

/** Composite keys are made by `keyOf`. */
export interface NotificationTables {
  /** Including webhooks. */
  readonly targets: Rows<number, StoredTarget>
  /** By target, in epoch milliseconds: the last time a delivery was leased. */
  readonly attended: Rows<number, number>
  /** By project. */
  readonly targetIds: Family<Ids>
  readonly deliveries: Rows<number, DeliveryRow>
  /** By target. */
  readonly deliveryIds: Family<Ids>

  readonly alertRules: Rows<number, AlertRule>
  /** By project, rule and group; 0 for the project as a whole. */
  readonly alertStates: Rows<string, AlertState>
  /** By project, target and start; 0 for the project as a whole. */
  readonly notificationWindows: Rows<string, NotificationWindowRow>
  /** By project and user. */
  readonly memberMail: Rows<string, MemberMailRow>
  readonly pausedAddresses: Rows<string, PausedAddress>
}

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

/** Makes empty tables. */
export const makeNotificationTables = (): NotificationTables => ({
  targets: new Rows(),
  attended: new Rows(),
  targetIds: new Family(() => new Ids()),
  deliveries: new Rows(),
  deliveryIds: new Family(() => new Ids()),
  alertRules: new Rows(),
  alertStates: new Rows(),
  notificationWindows: new Rows(),
  memberMail: new Rows(),
  pausedAddresses: new Rows(),
})

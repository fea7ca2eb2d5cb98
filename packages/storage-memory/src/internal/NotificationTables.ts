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

/** Composite keys are made by `keyOf`. */
export class NotificationTables {
  /** Including webhooks. */
  readonly targets = new Rows<number, StoredTarget>()
  /** By target, in epoch milliseconds: the last time a delivery was leased. */
  readonly attended = new Rows<number, number>()
  /** By project. */
  readonly targetIds = new Family(() => new Ids())
  readonly deliveries = new Rows<number, DeliveryRow>()
  /** By target. */
  readonly deliveryIds = new Family(() => new Ids())

  readonly alertRules = new Rows<number, AlertRule>()
  /** By project, rule and group; 0 for the project as a whole. */
  readonly alertStates = new Rows<string, AlertState>()
  /** By project, target and start; 0 for the project as a whole. */
  readonly notificationWindows = new Rows<string, NotificationWindowRow>()
  /** By project and user. */
  readonly memberMail = new Rows<string, MemberMailRow>()
  readonly pausedAddresses = new Rows<string, PausedAddress>()
}

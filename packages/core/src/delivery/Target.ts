/** Ids and kinds of targets: everything that deliveries go to, webhooks included. */
import { Schema } from "effect"

/** Identifies a target: a positive integer, larger for newer ones. */
export const TargetId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("TargetId"))
export type TargetId = typeof TargetId.Type

/** The kind of the one target of each project that stands for its members by mail. It is made when it is first needed. */
export const membersKind = "members"

/** The kind of webhooks, which have a service of their own and follow no rules. */
export const webhookKind = "webhook"

/** The kind of targets for mail to given addresses. Mail to members is sent by it, too. */
export const mailKind = "mail"

/** Ids of targets: everything that deliveries go to, webhooks included. */
import { Schema } from "effect"

/** Identifies a target: a positive integer, larger for newer ones. */
export const TargetId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("TargetId"))
export type TargetId = typeof TargetId.Type

import { Schema } from "effect"

/** Identifies a group: a positive integer, larger for newer ones. */
export const GroupId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("GroupId"))
export type GroupId = typeof GroupId.Type

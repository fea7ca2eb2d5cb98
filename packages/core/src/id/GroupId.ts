import { Schema } from "effect"

export const GroupId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("GroupId"))
export type GroupId = typeof GroupId.Type

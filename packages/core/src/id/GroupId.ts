import { Schema } from "effect"

export const GroupId = Schema.Int.pipe(Schema.positive(), Schema.brand("GroupId"))
export type GroupId = typeof GroupId.Type

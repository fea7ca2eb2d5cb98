/** The ids of groups in a request. */
import { Effect, Schema } from "effect"
import { idListProblem } from "../validation/IdList.js"
import { ValidationError } from "../validation/ValidationError.js"
import { GroupId } from "./Group.js"

/** Removes duplicates, and ids that no group can have. */
export const selected = (
  ids: ReadonlyArray<number>,
): Effect.Effect<ReadonlyArray<GroupId>, ValidationError> =>
  Effect.as(ValidationError.ensure({ groupIds: selectionProblem(ids) }), [...new Set(ids)].filter(isGroupId))

/** Returns an error message for an invalid list of ids, or null. */
export const selectionProblem = (ids: ReadonlyArray<unknown>): string | null =>
  ids.length === 0 ? "can't be empty" : idListProblem(ids)

// internal

const isGroupId = Schema.is(GroupId)

/** The groups that one call is about. */
import { Effect, Schema } from "effect"
import { ValidationError } from "../access/ValidationError.js"
import { idListProblem } from "../validation/IdList.js"
import { GroupId } from "./Group.js"

/** Reads ids as callers give them: each once, and without those that no group can have. */
export const selected = (
  ids: ReadonlyArray<number>,
): Effect.Effect<ReadonlyArray<GroupId>, ValidationError> =>
  Effect.as(
    ValidationError.check({ groupIds: ids.length === 0 ? "can't be empty" : idListProblem(ids) }),
    [...new Set(ids)].filter(isGroupId),
  )

// internal

const isGroupId = Schema.is(GroupId)

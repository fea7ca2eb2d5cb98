/** The groups that one call is about. */
import { Effect, Schema } from "effect"
import { idListProblem } from "../validation/IdList.js"
import { ValidationError } from "../validation/ValidationError.js"
import { GroupId } from "./Group.js"

/** Reads ids as callers give them: each once, and without those that no group can have. */
export const selected = (
  ids: ReadonlyArray<number>,
): Effect.Effect<ReadonlyArray<GroupId>, ValidationError> =>
  Effect.as(ValidationError.ensure({ groupIds: selectionProblem(ids) }), [...new Set(ids)].filter(isGroupId))

/** What is wrong with how many ids there are; null where nothing is. */
export const selectionProblem = (ids: ReadonlyArray<unknown>): string | null =>
  ids.length === 0 ? "can't be empty" : idListProblem(ids)

// internal

const isGroupId = Schema.is(GroupId)

import { Effect, Option, Schema } from "effect"
import { type Group, GroupId } from "./Group.js"

/** The project has no such group. If the group was merged, `mergedIntoId` is its root. */
export class GroupNotFound extends Schema.TaggedError<GroupNotFound>()("GroupNotFound", {
  groupId: GroupId,
  mergedIntoId: Schema.NullOr(GroupId),
}) {}

/** Returns the group if it exists and is not merged. */
export const existing = (
  found: Option.Option<Group>,
  groupId: GroupId,
): Effect.Effect<Group, GroupNotFound> => {
  if (Option.isNone(found)) return new GroupNotFound({ groupId, mergedIntoId: null })
  const { mergedIntoId } = found.value
  return mergedIntoId === null ? Effect.succeed(found.value) : new GroupNotFound({ groupId, mergedIntoId })
}

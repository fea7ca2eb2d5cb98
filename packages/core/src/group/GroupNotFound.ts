import { Effect, type Option, Schema } from "effect"
import { type Group, GroupId } from "./Group.js"

/** No such group in the project; `mergedIntoId` names the group that took it over, if one did. */
export class GroupNotFound extends Schema.TaggedError<GroupNotFound>()("GroupNotFound", {
  groupId: GroupId,
  mergedIntoId: Schema.NullOr(GroupId),
}) {}

/** The group that was found, if it is still one of its own. */
export const existing = (
  found: Option.Option<Group>,
  groupId: GroupId,
): Effect.Effect<Group, GroupNotFound> => {
  if (found._tag === "None") return new GroupNotFound({ groupId, mergedIntoId: null })
  const { mergedIntoId } = found.value
  return mergedIntoId === null ? Effect.succeed(found.value) : new GroupNotFound({ groupId, mergedIntoId })
}

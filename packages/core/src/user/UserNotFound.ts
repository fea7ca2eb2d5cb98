import { Schema } from "effect"

/** The user does not exist. */
export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", {
  user: Schema.String,
}) {}

import { Schema } from "effect"

/** No such user. */
export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", {
  user: Schema.String,
}) {}

import { Schema } from "effect"

/** Input that was understood but breaks a rule: messages by field. Nothing was changed. */
export class ValidationError extends Schema.TaggedError<ValidationError>()("ValidationError", {
  errors: Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }),
}) {
  static of(field: string, message: string) {
    return new ValidationError({ errors: { [field]: [message] } })
  }
}

/** The message where something that must be unique exists already. */
export const taken = "has already been taken"

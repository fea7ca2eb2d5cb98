import { Effect, Schema } from "effect"

/**
 * Input breaks a rule. Messages are keyed by the core's field names, which callers with other names translate.
 * Nothing was changed.
 */
export class ValidationError extends Schema.TaggedError<ValidationError>()("ValidationError", {
  errors: Schema.Record(Schema.String, Schema.Array(Schema.String)),
}) {
  static of(field: string, message: string) {
    return new ValidationError({ errors: { [field]: [message] } })
  }

  /** Fails with all messages by field, if there are any. Null means that a field is valid. */
  static ensure(problems: Readonly<Record<string, string | null>>): Effect.Effect<void, ValidationError> {
    const errors: Record<string, ReadonlyArray<string>> = {}
    for (const [field, message] of Object.entries(problems)) if (message !== null) errors[field] = [message]
    return Object.keys(errors).length === 0 ? Effect.void : new ValidationError({ errors })
  }
}

/** The message for a duplicate of something unique. */
export const taken = "has already been taken"

import { Effect, Schema } from "effect"

/**
 * Input that was understood but breaks a rule: messages by field. Fields have the core's names, and callers who know them
 * by others translate. Nothing was changed.
 */
export class ValidationError extends Schema.TaggedError<ValidationError>()("ValidationError", {
  errors: Schema.Record(Schema.String, Schema.Array(Schema.String)),
}) {
  static of(field: string, message: string) {
    return new ValidationError({ errors: { [field]: [message] } })
  }

  /** Fails with all that is wrong, if anything is: a message by field, null where a field is as it must be. */
  static ensure(problems: Readonly<Record<string, string | null>>): Effect.Effect<void, ValidationError> {
    const errors: Record<string, ReadonlyArray<string>> = {}
    for (const [field, message] of Object.entries(problems)) if (message !== null) errors[field] = [message]
    return Object.keys(errors).length === 0 ? Effect.void : new ValidationError({ errors })
  }
}

/** The message where something that must be unique exists already. */
export const taken = "has already been taken"

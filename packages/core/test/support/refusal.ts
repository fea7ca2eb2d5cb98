import { Effect, Result } from "effect"

/** Returns "accepted", the messages of a ValidationError by field, or the tag of another failure. */
export const refusal = <R>(effect: Effect.Effect<unknown, { readonly _tag: string }, R>) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isSuccess(result)
      ? "accepted"
      : "errors" in result.failure
        ? (result.failure.errors as Readonly<Record<string, ReadonlyArray<string>>>)
        : result.failure._tag,
  )

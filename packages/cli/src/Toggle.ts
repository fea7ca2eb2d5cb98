import { Flag } from "effect/cli"

/** An option without a value. The word after it is an argument, even if the word is `1` or `true`. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(
    Flag.withOptionalValue("true"),
    Flag.withoutNegation,
    Flag.withDefault(false),
    Flag.withDescription(description),
  )

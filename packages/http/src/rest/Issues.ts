import { Problem } from "@errata/api/internal"
import type { DecodeIssues } from "@errata/core/internal"

/** Returns schema issues as messages by field. Issues of the input as a whole are under `base`. */
export const validationFailedOf = (
  issues: ReadonlyArray<DecodeIssues.DecodeIssue>,
): Problem.ValidationFailed => {
  const errors = new Map<string, Array<string>>()
  for (const { message, path } of issues) {
    const field = path.length === 0 ? "base" : path.map(String).join(".")
    const messages = errors.get(field)
    if (messages === undefined) errors.set(field, [message])
    else messages.push(message)
  }
  return Problem.validationFailed(Object.fromEntries(errors))
}

/** Sorts the messages of a rejected form by its fields. */
import { ErrataApiError, ValidationError } from "@errata/api/promise"
import { describe } from "./failure.js"

export interface FormProblems {
  /** A sentence for each field that has a problem. */
  readonly fields: Readonly<Record<string, string>>
  /** Messages about the whole request; null if there are none. */
  readonly form: string | null
}

export const noProblems: FormProblems = { fields: {}, form: null }

/** Returns the problems of a form. `labels` has the names that the reader sees, by the names of the API. */
export const formProblems = (error: unknown, labels: Readonly<Record<string, string>>): FormProblems => {
  const errors = error instanceof ErrataApiError ? error.problem["errors"] : null
  if (typeof errors !== "object" || errors === null) return { fields: {}, form: describe(error) }
  const fields: Record<string, string> = {}
  const rest: Array<string> = []
  for (const [path, messages] of Object.entries(errors as Readonly<Record<string, ReadonlyArray<string>>>)) {
    // `events[0]` and `events.0` concern the field `events`. Some fields have a name such as `address.url`.
    const name = path in labels ? path : (path.split(/[.[]/)[0] ?? path)
    const label = labels[name]
    const text = messages.map((message) => `${label ?? (name === "base" ? "The request" : path)} ${message}.`)
    if (label === undefined) rest.push(...text)
    else fields[name] = [fields[name], ...text].filter((part) => part !== undefined).join(" ")
  }
  return { fields, form: rest.length === 0 ? null : rest.join(" ") }
}

/** Returns the failure of a field that the page itself rejects, in the form of the server's. */
export const rejected = (field: string, message: string): ValidationError =>
  new ValidationError("Form", { title: "Validation Error", status: 422, errors: { [field]: [message] } })

import { OpenApi } from "@effect/platform"
import { type Setting, storedOnlyNote } from "@errata/core/stored-only"
import { Context } from "effect"

/** Says of an operation that what it sets or answers is only stored, while it is. */
export const storedOnly = (setting: Setting): Context.Context<never> => {
  const note = storedOnlyNote(setting)
  return note === null ? Context.empty() : Context.unsafeMake(new Map([[OpenApi.Description.key, note]]))
}

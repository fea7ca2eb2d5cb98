/** What the server keeps and does not act upon yet: told in the help, and to whoever sets it. */
import { type Setting, storedOnlyNote } from "@errata/core"
import { Effect } from "effect"
import { note } from "./Output.js"

/** The description of a command, with the note on what it sets. */
export const withStoredOnly = (description: string, ...settings: ReadonlyArray<Setting>): string => {
  const notes = settings.map(storedOnlyNote).filter((note) => note !== null)
  return notes.length === 0 ? description : [`${description}.`, ...notes].join(" ")
}

/** One line on standard error, while the setting is only stored. */
export const noteStoredOnly = (setting: Setting): Effect.Effect<void> => {
  const told = storedOnlyNote(setting)
  return told === null ? Effect.void : note(told)
}

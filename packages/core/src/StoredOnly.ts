/**
 * What can be set and is answered as it was set, while nothing acts on it yet. This is the one place that says so: the
 * documentation of the API, the help of the command line and what it tells whoever sets something read it here, and an
 * entry that is removed is removed from all of them.
 */

export type Setting =
  | "sourcemapOrigins"
  | "ingestProtection"
  | "errorRetention"
  | "artifactRetention"
  | "hostedSourcemaps"

const notes: Readonly<Partial<Record<Setting, string>>> = {}

/** In one sentence, that a setting is only stored; null where it is acted upon. */
export const storedOnlyNote = (setting: Setting): string | null => notes[setting] ?? null

/** The notes on all settings that are only stored. */
export const storedOnlyNotes: ReadonlyArray<string> = Object.values(notes)

/** The configuration file: a JSON document with members that are named and nested like the settings. */
import { readFileSync } from "node:fs"
import { Context, Effect } from "effect"
import { type CommandFailed, usageError } from "./ErrorOutput.js"

/** The content of the file. */
export interface ConfigTexts {
  /** The path of the file as given. */
  readonly path: string
  /** Values by the paths of the settings. Lists are comma-separated. */
  readonly texts: ReadonlyMap<string, string>
}

/** The selected configuration file, or null. */
export const ConfigFile = Context.Reference("@errata/cli/ConfigFile", {
  defaultValue: (): ConfigTexts | null => null,
})

/** Reads a file. Error messages do not quote its values, because some are secrets. */
export const read = (path: string): Effect.Effect<ConfigTexts, CommandFailed> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => readFileSync(path, "utf8"),
      catch: (cause) => usageError(`The configuration file ${path} cannot be read: ${reasonOf(cause)}`),
    })
    const root = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => usageError(`The configuration file ${path} is not valid JSON${placeOf(cause, text)}`),
    })
    if (!isRecord(root)) {
      return yield* usageError(
        `The configuration file ${path} must contain one JSON object, e.g. { "port": 4000 }`,
      )
    }
    const texts = new Map<string, string>()
    const complaint = collect(root, "", texts)
    return complaint === null ? { path, texts } : yield* usageError(`${complaint} in ${path}`)
  })

// internal

type Members = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Collects the members by their paths. Returns a message about the first invalid member, or null. */
const collect = (members: Members, prefix: string, texts: Map<string, string>): string | null => {
  for (const [key, value] of Object.entries(members)) {
    const path = prefix + key
    if (isRecord(value)) {
      const complaint = collect(value, `${path}.`, texts)
      if (complaint !== null) return complaint
      continue
    }
    const text = textOf(value)
    if (text === null) return `${path} must be a string, a number, true, false or a list of strings`
    // `"log.level"` and `"log": { "level" }` are the same setting.
    if (texts.has(path)) return `${path} occurs twice`
    texts.set(path, text)
  }
  return null
}

const textOf = (value: unknown): string | null => {
  if (typeof value === "string") return value
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value.join(",") : null
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
}

const reasonOf = (cause: unknown): string => {
  const { code } = cause as NodeJS.ErrnoException
  return code === undefined ? String(cause) : (reasons[code] ?? code)
}

/** Returns the position of a syntax error. The parser's message quotes the text, which may contain a secret. */
const placeOf = (cause: unknown, text: string): string => {
  const [, position] = /position (\d+)/.exec(cause instanceof Error ? cause.message : "") ?? []
  return position === undefined ? "" : `: see line ${text.slice(0, Number(position)).split("\n").length}`
}

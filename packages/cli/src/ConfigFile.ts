/** The configuration file: a JSON document, whose members are named and nested like the settings. */
import { readFileSync } from "node:fs"
import { Context, Effect } from "effect"
import { CommandFailed, exitCodes } from "./ErrorOutput.js"

/** What the file says. */
export interface ConfigTexts {
  /** The file's path, as it was given. */
  readonly path: string
  /** By the paths of the settings; lists with commas between. */
  readonly texts: ReadonlyMap<string, string>
}

/** The file that was named; null where none was. */
export class ConfigFile extends Context.Reference<ConfigFile>()("@errata/cli/ConfigFile", {
  defaultValue: (): ConfigTexts | null => null,
}) {}

/** Reads a file. Complaints do not repeat its values: some are secrets. */
export const read = (path: string): Effect.Effect<ConfigTexts, CommandFailed> =>
  Effect.gen(function* () {
    const text = yield* Effect.try({
      try: () => readFileSync(path, "utf8"),
      catch: (cause) => fault(`The configuration file ${path} cannot be read: ${reasonOf(cause)}`),
    })
    const root = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => fault(`The configuration file ${path} is not JSON${placeOf(cause, text)}`),
    })
    if (!isRecord(root)) {
      return yield* fault(`The configuration file ${path} must be one object, e.g. { "port": 4000 }`)
    }
    const texts = new Map<string, string>()
    const complaint = collect(root, "", texts)
    return complaint === null ? { path, texts } : yield* fault(`${complaint} in ${path}`)
  })

// internal

type Members = Readonly<Record<string, unknown>>

const fault = (message: string) => new CommandFailed({ message, exitCode: exitCodes.usage })

const isRecord = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Takes the members in, nested ones by their paths; answers what is wrong with the first that cannot be. */
const collect = (members: Members, prefix: string, texts: Map<string, string>): string | null => {
  for (const [key, value] of Object.entries(members)) {
    const path = prefix + key
    if (isRecord(value)) {
      const complaint = collect(value, `${path}.`, texts)
      if (complaint !== null) return complaint
      continue
    }
    const text = textOf(value)
    if (text === null) return `${path} must be a text, a number, true, false or a list of texts`
    // `"log.level"` and `"log": { "level" }` mean the same.
    if (texts.has(path)) return `${path} stands twice`
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
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
}

const reasonOf = (cause: unknown): string => {
  const { code } = cause as NodeJS.ErrnoException
  return code === undefined ? String(cause) : (reasons[code] ?? code)
}

/** What the parser says repeats a part of the text, which may hold a secret; where it stands says enough. */
const placeOf = (cause: unknown, text: string): string => {
  const [, position] = /position (\d+)/.exec(cause instanceof Error ? cause.message : "") ?? []
  return position === undefined ? "" : `: see line ${text.slice(0, Number(position)).split("\n").length}`
}

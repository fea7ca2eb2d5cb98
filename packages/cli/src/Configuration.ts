/** Finds and reads the configuration file of a command on the host, and rejects unknown settings in it. */
import { editDistance, nearestWord } from "@errata/core/internal"
import { Config, Effect, Option } from "effect"
import { Flag, GlobalFlag } from "effect/cli"
import * as ConfigFile from "./ConfigFile.js"
import { usageError } from "./ErrorOutput.js"
import { listedSettings } from "./InstanceSettings.js"
import { serverSettings } from "./ServerSettings.js"

/** An option of the commands on the host. It is global because the file may contain the settings of the log. */
export const configOption = GlobalFlag.Setting("config")({
  flag: Flag.String("config").pipe(
    Flag.withMetavar("file"),
    Flag.optional,
    Flag.withDescription("JSON file with settings (docs/configuration.md). Environment: ERRATA_CONFIG"),
  ),
})

/** Reads the file named by `--config`, or by `ERRATA_CONFIG`. Returns null if neither is set. */
export const load = Effect.gen(function* () {
  const option = yield* configOption
  const variable = yield* Effect.orElseSucceed(
    Config.option(Config.NonEmptyString("ERRATA_CONFIG")),
    Option.none<string>,
  )
  const path = Option.getOrUndefined(Option.orElse(option, () => variable))
  if (path === undefined) return null
  if (path.trim() === "") return yield* usageError("--config must be the path of a file")
  const file = yield* ConfigFile.read(path)
  for (const name of file.texts.keys()) {
    if (!paths.includes(name)) {
      return yield* usageError(`Unknown setting ${name} in ${path} (did you mean ${nearest(name)}?)`)
    }
  }
  return file
})

/** Logs variables that look like settings and are not, because nothing else would report a misspelled name. */
export const warnOfUnknownVariables: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(
    Object.keys(process.env).filter((name) => name.startsWith("ERRATA_") && !variables.has(name)),
    (name) => {
      const meant = meantVariable(name)
      return Effect.annotateLogs(
        Effect.logWarning("Unknown setting in the environment. See docs/configuration.md"),
        meant === null ? { variable: name } : { variable: name, similar: meant },
      )
    },
    { discard: true },
  ),
)

// internal

const settings = [...serverSettings, ...listedSettings]

const paths: ReadonlyArray<string> = settings.map(({ path }) => path)

const variables: ReadonlySet<string> = new Set([
  ...settings.map(({ variable }) => variable),
  ...["ERRATA_CONFIG", "ERRATA_URL", "ERRATA_API_KEY", "ERRATA_PROJECT"],
])

/** Returns a variable with a similar name, or the one that has no prefix, such as `DATABASE_URL`. */
const meantVariable = (name: string): string | null => {
  const bare = name.slice("ERRATA_".length)
  return variables.has(bare) ? bare : nearestWord(name, [...variables])
}

/** Returns the setting with the most similar name. Names that lack a beginning or an end are similar, too. */
const nearest = (name: string): string => {
  const distance = (path: string) => {
    const end = path.slice(path.lastIndexOf(".") + 1)
    const parts = Math.min(editDistance(path.slice(0, name.length), name), editDistance(end, name))
    // A complete name wins over an equally similar part.
    return Math.min(editDistance(path, name), parts + 0.5)
  }
  return paths.reduce((best, path) => (distance(path) < distance(best) ? path : best))
}

/** The configuration file that a command on the host is told to read: found, read, and known in all it says. */
import { AutoCorrect, CliConfig } from "@effect/cli"
import { Config, Effect, Option } from "effect"
import * as ConfigFile from "./ConfigFile.js"
import type { CommandFailed } from "./ErrorOutput.js"
import { listedSettings } from "./InstanceSettings.js"
import { serverSettings } from "./ServerSettings.js"
import * as Setting from "./Setting.js"

/** The file named by `--config`, else by `ERRATA_CONFIG`; null where neither names one. */
export const load = (
  option: string | undefined,
): Effect.Effect<ConfigFile.ConfigTexts | null, CommandFailed> =>
  Effect.gen(function* () {
    const variable = yield* Effect.orElseSucceed(
      Config.option(Config.nonEmptyString("ERRATA_CONFIG")),
      Option.none<string>,
    )
    const path = option ?? Option.getOrUndefined(variable)
    if (path === undefined) return null
    if (path.trim() === "") return yield* Setting.wrong("--config must be the path of a file")
    const file = yield* ConfigFile.read(path)
    for (const name of file.texts.keys()) {
      if (!paths.includes(name)) {
        return yield* Setting.wrong(
          `There is no setting ${name}, which stands in ${path} (did you mean ${nearest(name)}?)`,
        )
      }
    }
    return file
  })

/** Says in the log which variables look like settings and are none: nothing else would tell of a misspelt one. */
export const warnOfUnknownVariables: Effect.Effect<void> = Effect.suspend(() =>
  Effect.forEach(
    Object.keys(process.env).filter((name) => name.startsWith("ERRATA_") && !variables.has(name)),
    (name) => Effect.logWarning(`${name} is no setting. See docs/configuration.md`),
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

/** The setting that is written most like a name, of which somebody may have left out the beginning or the end. */
const nearest = (name: string): string => {
  const distance = (path: string) => {
    const end = path.slice(path.lastIndexOf(".") + 1)
    const parts = Math.min(difference(path.slice(0, name.length), name), difference(end, name))
    // A whole name goes before a part that is as near.
    return Math.min(difference(path, name), parts + 0.5)
  }
  return paths.reduce((best, path) => (distance(path) < distance(best) ? path : best))
}

const difference = (a: string, b: string): number =>
  AutoCorrect.levensteinDistance(a, b, CliConfig.defaultConfig)

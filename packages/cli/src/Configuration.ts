/** The configuration file that a command on the host is told to read: found, read, and known in all it says. */
import { AutoCorrect, CliConfig } from "@effect/cli"
import { Config, Effect, Option } from "effect"
import * as ConfigFile from "./ConfigFile.js"
import type { CommandFailed } from "./ErrorOutput.js"
import { listedSettings } from "./InstanceSettings.js"
import { serverSettings } from "./ServerSettings.js"
import * as Setting from "./Setting.js"

/** The paths of all settings. */
export const settingPaths: ReadonlyArray<string> = [...serverSettings, ...listedSettings].map(
  ({ path }) => path,
)

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
      if (!settingPaths.includes(name)) {
        return yield* Setting.wrong(
          `There is no setting ${name}, which stands in ${path} (did you mean ${nearest(name)}?)`,
        )
      }
    }
    return file
  })

// internal

/** The setting that is written most like a name, of which somebody may have left out the beginning or the end. */
const nearest = (name: string): string => {
  const distance = (path: string) => {
    const end = path.slice(path.lastIndexOf(".") + 1)
    const parts = Math.min(difference(path.slice(0, name.length), name), difference(end, name))
    // A whole name goes before a part that is as near.
    return Math.min(difference(path, name), parts + 0.5)
  }
  return settingPaths.reduce((best, path) => (distance(path) < distance(best) ? path : best))
}

const difference = (a: string, b: string): number =>
  AutoCorrect.levensteinDistance(a, b, CliConfig.defaultConfig)

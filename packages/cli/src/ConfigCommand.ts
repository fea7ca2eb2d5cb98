/** `errata config`: the effective settings and their sources. */
import { ErrataSettings } from "@errata/core"
import { settingTexts } from "@errata/core/internal"
import { Effect, Option, Redacted } from "effect"
import { Command } from "effect/cli"
import { print, printJson, ReaderGone } from "./api/Output.js"
import { ConfigFile } from "./ConfigFile.js"
import { warnOfUnknownVariables } from "./Configuration.js"
import type { CommandFailed } from "./ErrorOutput.js"
import { listedSettings, settingOf } from "./InstanceSettings.js"
import { CurrentLogChoice } from "./LogOptions.js"
import { serverOptions } from "./Serve.js"
import { type ServerFlags, serverChoice } from "./ServerChoice.js"
import { type ServerSetting, serverSettings } from "./ServerSettings.js"
import * as Setting from "./Setting.js"
import { table } from "./Table.js"
import { toggle } from "./Toggle.js"

/** An effective setting. */
interface InForce {
  readonly setting: string
  /** The value as text. Null for secrets, and if the default depends on other settings. */
  readonly value: string | null
  readonly source: Setting.Source | "default"
  /** The option, variable or file that set the value. */
  readonly given_by: string | null
  /** The environment variable of the setting. */
  readonly variable: string
}

export const config = Command.make(
  "config",
  {
    ...serverOptions,
    json: toggle("json", "Print JSON"),
  },
  ({ json, ...flags }) =>
    Effect.gen(function* () {
      const settings = yield* inForce(flags)
      yield* warnOfUnknownVariables
      if (json) return yield* printJson({ settings: settings.map(({ shown: _, ...each }) => each) })
      yield* print(
        table(
          ["SETTING", "VALUE", "FROM"],
          settings.map(({ given_by, setting, shown }) => [setting, shown, given_by ?? "default"]),
        ),
      )
    }).pipe(
      Effect.catchIf(
        (error) => error instanceof ReaderGone,
        () => Effect.void,
      ),
    ),
).pipe(Command.withDescription("Show the settings of a server and the source of each one"))

// internal

const inForce = (
  flags: ServerFlags,
): Effect.Effect<ReadonlyArray<InForce & { readonly shown: string }>, CommandFailed> =>
  Effect.gen(function* () {
    // Rejects every value that a server would reject.
    const choice = yield* serverChoice(flags)
    const file = yield* ConfigFile
    const options = yield* optionTexts(flags)
    const origin = (given: Option.Option<Setting.Given<unknown>>) =>
      Option.match(given, {
        onNone: () => ({ source: "default" as const, given_by: null }),
        onSome: ({ name, source }) => ({ source, given_by: source === "file" ? (file?.path ?? null) : name }),
      })
    const own = yield* Effect.forEach(serverSettings, (setting) =>
      Effect.map(Setting.given(setting, Option.fromNullishOr(options[setting.path])), (asked) => {
        const { kind } = choice.storage
        const isStorage = setting.path === "storage"
        // An option of one storage takes precedence over a variable that names another storage.
        const given = Option.filter(asked, (each) => !isStorage || each.value === kind)
        const value = isStorage ? kind : valueOf(setting, given)
        const instead = setting.isSecret === true && Option.isSome(given) ? "(secret)" : setting.fallback
        const { path, variable } = setting
        return { setting: path, value, ...origin(given), variable, shown: value || instead }
      }),
    )
    const texts = settingTexts(ErrataSettings, choice.settings)
    const instance = yield* Effect.forEach(listedSettings, (listed) =>
      Effect.map(Setting.given(settingOf(listed), Option.none()), (given) => {
        const value = texts.get(listed.path)!
        return { setting: listed.path, value, ...origin(given), variable: listed.variable, shown: value }
      }),
    )
    return [...own, ...instance]
  })

/** Values from the command line, by the paths of the settings. */
const optionTexts = (flags: ServerFlags): Effect.Effect<Readonly<Record<string, string | undefined>>> =>
  Effect.map(CurrentLogChoice, ({ format, level }) => ({
    host: Option.getOrUndefined(flags.host),
    port: Option.getOrUndefined(flags.port),
    roles: Option.getOrUndefined(flags.roles),
    storage: Option.getOrUndefined(flags.storage),
    dataDir: Option.getOrUndefined(flags.dataDir),
    databaseUrl: Option.getOrUndefined(Option.map(flags.databaseUrl, Redacted.value)),
    "dashboard.enabled": flags.noDashboard ? "false" : undefined,
    "log.level": level,
    "log.format": format,
  }))

/** Returns the text of the given value, or of the default. */
const valueOf = (setting: ServerSetting<unknown>, given: Option.Option<Setting.Given<unknown>>) =>
  setting.isSecret === true
    ? null
    : Option.match(given, {
        onNone: () => (setting.default === undefined ? null : setting.format(setting.default)),
        onSome: ({ value }) => setting.format(value),
      })

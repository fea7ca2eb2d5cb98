/** The settings of the instance (`ErrataSettings`), from environment variables and the configuration file. */
import { ErrataSettings } from "@errata/core"
import {
  conflictsIn,
  type ListedSetting,
  listSettings,
  settingsFrom,
  settingTexts,
} from "@errata/core/internal"
import { Effect, Option } from "effect"
import { type CommandFailed, usageError } from "./ErrorOutput.js"
import * as Setting from "./Setting.js"

export const listedSettings: ReadonlyArray<ListedSetting> = listSettings(ErrataSettings)

/** One of these settings as a `Setting`. Its value is its text. */
export const settingOf = ({ expected, parse, path, variable }: ListedSetting): Setting.Setting<string> => ({
  path,
  option: null,
  variable,
  parse: (text) => Option.as(parse(text.trim()), text.trim()),
  expected,
})

/** Returns the settings in force. */
export const instanceSettings: Effect.Effect<ErrataSettings, CommandFailed> = Effect.gen(function* () {
  const texts = new Map<string, string>()
  const names = new Map<string, string>()
  for (const listed of listedSettings) {
    const given = yield* Setting.given(settingOf(listed), Option.none())
    names.set(listed.path, Option.isSome(given) ? given.value.name : listed.variable)
    if (Option.isSome(given)) texts.set(listed.path, given.value.value)
  }
  const settings = settingsFrom(ErrataSettings, texts)
  const [conflict] = conflictsIn(settings)
  if (conflict === undefined) return settings
  const { other, path, relation } = conflict
  const inForce = settingTexts(ErrataSettings, settings)
  return yield* usageError(
    `${names.get(path)} must be ${relation} ${names.get(other)} (${inForce.get(other)}), not "${inForce.get(path)}"`,
  )
})

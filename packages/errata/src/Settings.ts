/** Checks settings that programs pass by the rules of the configuration file. */
import { defaultSettings, ErrataSettings } from "@errata/core"
import { conflictsIn, listSettings, settingsFrom } from "@errata/core/internal"
import { Option } from "effect"
import type { SettingsInput } from "./ErrataOptions.js"
import { ErrataStartError } from "./Errors.js"

/** Returns the effective settings. Throws an `ErrataStartError` that names the invalid ones. */
export const settingsOf = (input: SettingsInput | undefined): ErrataSettings => {
  if (input === undefined) return defaultSettings
  const listed = new Map(listSettings(ErrataSettings).map((setting) => [setting.path, setting]))
  const texts = new Map(textsIn(input, ""))
  for (const [path, text] of texts) {
    const setting = listed.get(path)
    if (setting === undefined) throw new ErrataStartError(`unknown setting ${path}`)
    if (Option.isNone(setting.parse(text))) {
      throw new ErrataStartError(
        `the setting ${path} must be ${setting.expected}, not ${JSON.stringify(text)}`,
      )
    }
  }
  const settings = settingsFrom(ErrataSettings, texts)
  const [conflict] = conflictsIn(settings)
  if (conflict === undefined) return settings
  throw new ErrataStartError(`the setting ${conflict.path} must be ${conflict.relation} ${conflict.other}`)
}

// internal

const textsIn = (input: object, path: string): ReadonlyArray<readonly [string, string]> =>
  Object.entries(input).flatMap(([name, value]: [string, unknown]) => {
    const at = path === "" ? name : `${path}.${name}`
    if (value === undefined) return []
    return typeof value === "object" && value !== null ? textsIn(value, at) : [[at, String(value)] as const]
  })

/** Lists the settings of a schema with their names in files and in the environment. */
import { Schema, SchemaAST } from "effect"
import { aboutSetting, type SettingAbout } from "./SettingSchema.js"

export interface ListedSetting extends SettingAbout {
  /** The path of the setting, such as `recorder.workers`. */
  readonly path: string
  /** The environment variable, such as `ERRATA_RECORDER_WORKERS`. */
  readonly variable: string
}

/** Texts by setting path. */
export type SettingTexts = ReadonlyMap<string, string>

/** Lists the settings in the order of the schema, which nests structs of schemas made by `SettingSchema`. */
export const listSettings = (schema: Schema.Top): ReadonlyArray<ListedSetting> => listed(schema.ast, "")

/** The environment variable of a setting: `recorder.batchBytes` becomes `ERRATA_RECORDER_BATCH_BYTES`. */
export const variableOf = (path: string): string =>
  `ERRATA_${path.replaceAll(/[A-Z]/g, "_$&").replaceAll(".", "_").toUpperCase()}`

/** Decodes settings from texts; missing ones get their defaults. Throws if a text is invalid. */
export const settingsFrom = <A, I>(schema: Schema.Codec<A, I>, texts: SettingTexts): A => {
  const root: Nested = {}
  for (const { defaultText, path } of listSettings(schema)) {
    const keys = path.split(".")
    const last = keys.pop()!
    const place = keys.reduce<Nested>((at, key) => {
      at[key] ??= {}
      return at[key] as Nested
    }, root)
    place[last] = texts.get(path) ?? defaultText
  }
  return Schema.decodeUnknownSync(schema)(root)
}

/** Encodes settings as texts, in the form that the documentation uses. */
export const settingTexts = <A, I>(schema: Schema.Codec<A, I>, settings: A): SettingTexts => {
  const encoded = Schema.encodeSync(schema)(settings)
  return new Map(
    listSettings(schema).map(({ path }) => [
      path,
      path.split(".").reduce<unknown>((at, key) => (at as Nested)[key], encoded) as string,
    ]),
  )
}

// internal

interface Nested {
  [key: string]: string | Nested
}

const listed = (ast: SchemaAST.AST, path: string): ReadonlyArray<ListedSetting> => {
  const about = SchemaAST.resolveAt<SettingAbout>(aboutSetting)(ast)
  if (about !== undefined) return [{ ...about, path, variable: variableOf(path) }]
  return SchemaAST.isObjects(ast)
    ? ast.propertySignatures.flatMap(({ name, type }) =>
        listed(type, path === "" ? String(name) : `${path}.${String(name)}`),
      )
    : []
}

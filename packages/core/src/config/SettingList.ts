/** The settings of a schema, one by one, under the names that files and the environment give them. */
import { Schema, SchemaAST } from "effect"
import { aboutSetting, type SettingAbout } from "./SettingSchema.js"

export interface ListedSetting extends SettingAbout {
  /** Where it stands, e.g. `recorder.workers`. */
  readonly path: string
  /** The variable of the environment, e.g. `ERRATA_RECORDER_WORKERS`. */
  readonly variable: string
}

/** Texts by the paths of the settings. */
export type SettingTexts = ReadonlyMap<string, string>

/** In the order of the schema: structs of schemas made by `SettingSchema`, and of such structs. */
export const listSettings = (schema: Schema.Top): ReadonlyArray<ListedSetting> => listed(schema.ast, "")

/** `recorder.batchBytes` is `ERRATA_RECORDER_BATCH_BYTES` in the environment. */
export const variableOf = (path: string): string =>
  `ERRATA_${path.replaceAll(/[A-Z]/g, "_$&").replaceAll(".", "_").toUpperCase()}`

/** The settings with these texts, and with their defaults where there are none. Throws for texts that are refused. */
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

/** The settings as texts, in the form in which documentation writes them. */
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

/** Fields of the views, each with its description for the OpenAPI document. */
import { Schema } from "effect"
import { type CamelKeys, camelCase } from "./CamelKeys.js"
import { described, Timestamp } from "./Json.js"

const fieldOf =
  <S extends Schema.Top>(schema: S) =>
  (description: string) =>
    described(description, schema)

export const int = fieldOf(Schema.Int)
export const text = fieldOf(Schema.String)
export const flag = fieldOf(Schema.Boolean)
export const time = fieldOf(Timestamp)
export const intOrNull = fieldOf(Schema.NullOr(Schema.Int))
export const textOrNull = fieldOf(Schema.NullOr(Schema.String))
export const timeOrNull = fieldOf(Schema.NullOr(Timestamp))

/** Returns a function that shows these fields of an entity, which has them under the same names in camel case. */
export const viewOf = <Fields extends Schema.Struct.Fields>(fields: Fields) => {
  type View = Schema.Struct.Type<Fields>
  const names = Object.keys(fields).map((name) => [name, camelCase(name)] as const)
  return (entity: CamelKeys<View>): View =>
    Object.fromEntries(names.map(([name, own]) => [name, (entity as Record<string, unknown>)[own]])) as View
}

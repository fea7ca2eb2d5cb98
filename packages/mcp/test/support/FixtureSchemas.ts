/** Schemas of the conformance fixture, as JSON Schema. */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server"

interface StringProperty {
  readonly description?: string
}

/** An object of strings, all of them required. */
export const stringsOf = (properties: Readonly<Record<string, StringProperty>>) => ({
  type: "object" as const,
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, more]) => [name, { type: "string" as const, ...more }]),
  ),
  required: Object.keys(properties),
})

/** A schema without validation. */
export const schemaOf = <A>(schema: Record<string, unknown>): StandardSchemaWithJSON<A, A> => ({
  "~standard": {
    version: 1,
    vendor: "errata",
    validate: (value) => ({ value: value as A }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
})

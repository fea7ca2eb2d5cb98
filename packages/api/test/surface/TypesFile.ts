/** Writes `src/surface/Types.ts` from the OpenAPI document of the contract. */
import { OpenApi } from "effect/http-api"
import { makeErrataApi } from "../../src/index.js"

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly pattern?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | boolean
}

interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: "path" | "query"
    readonly required: boolean
    readonly description?: string
    readonly schema: JsonSchema
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
}

interface Content {
  readonly schema: JsonSchema
}

/** Responses that the document inlines, by the names that the clients export. */
const named: Readonly<Record<string, string>> = {
  "users.create": "CreatedUser",
  "users.createSignInLink": "SignInLink",
  "webhooks.create": "CreatedWebhook",
}

export const typesFile = (): string => {
  const { components, paths } = OpenApi.fromApi(makeErrataApi()) as unknown as {
    readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  // Frames are as SDKs send them: the document describes those that most have.
  const schemas = new Map<string, JsonSchema>(
    Object.entries({ ...components.schemas, Frame: { type: "object" }, Page: page }),
  )
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  // Compared again without descriptions, since equal fields may have different ones.
  const known = new Map([...schemas].map(([name, schema]) => [typeOf(schema), name]))

  const answerOf = ({ operationId, responses }: Operation): string => {
    const contents = Object.entries(responses).flatMap(([status, { content }]) =>
      status.startsWith("2") ? [content ?? {}] : [],
    )
    if (contents.some((content) => "application/octet-stream" in content)) return "Uint8Array"
    const types = contents.flatMap((content) => Object.values(content).map(({ schema }) => schema))
    if (types.length === 0) return "void"
    return types
      .map((schema) => {
        const type = typeOf(schema)
        const name = known.get(type) ?? named[operationId]
        if (name === undefined) return type
        schemas.set(name, schemas.get(name) ?? schema)
        return name
      })
      .sort()
      .join(" | ")
  }
  const queryOf = ({ parameters }: Operation) => {
    const query = parameters.filter((parameter) => parameter.in === "query")
    if (query.length === 0) return null
    return typeOf({
      type: "object",
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
      required: query.filter(({ required }) => required).map(({ name }) => name),
    })
  }
  const bodyOf = ({ requestBody }: Operation) =>
    requestBody === undefined ? null : typeOf(requestBody.content["application/json"]!.schema)

  const table = (name: string, of: (operation: Operation) => string | null): string => {
    const groups = Map.groupBy(operations, ({ operationId }) => operationId.split(".")[0]!)
    const rows = [...groups].map(([group, all]) => {
      const types = all.flatMap((operation) => {
        const type = of(operation)
        return type === null
          ? []
          : [`    readonly ${operation.operationId.split(".")[1]}: ${inline(indented(indented(type)))}\n`]
      })
      return types.length === 0 ? "" : `  readonly ${group}: {\n${types.join("")}  }\n`
    })
    return `export interface ${name} {\n${rows.join("")}}\n`
  }

  const tables = [
    `/** The answer of every endpoint. */\n${table("Answers", answerOf)}`,
    `/** The queries of the endpoints that have one. */\n${table("Queries", queryOf)}`,
    `/** The bodies of the endpoints that have one. */\n${table("Bodies", bodyOf)}`,
  ].join("\n")
  const used = [...reachable(tables, schemas), "Page"].sort()
  const fields = new Map(used.map((name) => [name, fieldsOf(schemas.get(name)!)]))
  const interfaces = used.map(
    (name) => `${docs(name)}export ${declarationOf(name, schemas.get(name)!, fields)}\n`,
  )
  return `// biome-ignore-all format: generated
// biome-ignore-all lint/suspicious/noConfusingVoidType: the answer of endpoints without one
// Generated from the contract. To update it: npx vitest run packages/api/test/surface -u
// Types without schemas: type checkers need not read the contract, or anything of Effect.

${interfaces.join("\n")}
${tables}`
}

// internal

/** Fields of all pages beside their items. */
const page: JsonSchema = {
  properties: {
    next_cursor: { anyOf: [{ type: "integer" }, { type: "null" }] },
    has_more: { type: "boolean" },
  },
  required: ["next_cursor", "has_more"],
}

const docs = (name: string): string => `/** \`${name}\` of the REST API. */\n`

const reachable = (text: string, schemas: ReadonlyMap<string, JsonSchema>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (type: string): void => {
    for (const [name] of type.matchAll(/\b[A-Z]\w+\b/g)) {
      if (found.has(name) || !schemas.has(name)) continue
      found.add(name)
      visit(typeOf(schemas.get(name)!))
    }
  }
  visit(text)
  return [...found].sort()
}

/** Ids in a query, which clients pass as numbers. */
const idsPattern = "^[1-9]\\d{0,14}(,[1-9]\\d{0,14})*$"

const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)!
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ")
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  switch (schema.type) {
    case "string":
      return schema.pattern === idsPattern ? "ReadonlyArray<number>" : "string"
    case "integer":
    case "number":
      return "number"
    case "array":
      return `ReadonlyArray<${typeOf(schema.items ?? {})}>`
    case "object":
      return objectOf(schema)
    case undefined:
      return "unknown"
    default:
      return schema.type
  }
}

const objectOf = (schema: JsonSchema): string => {
  const { additionalProperties, properties } = schema
  if (properties === undefined) {
    const values = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown"
    return `{ readonly [key: string]: ${values} }`
  }
  return block(fieldsOf(schema))
}

/** The declarations of the properties of an object. */
const fieldsOf = ({ anyOf, properties = {}, required = [] }: JsonSchema): ReadonlyArray<string> =>
  anyOf !== undefined
    ? []
    : Object.entries(properties).map(
        ([name, schema]) =>
          `readonly ${name}${required.includes(name) ? "" : "?"}: ${inline(indented(typeOf(schema)))}`,
      )

const block = (fields: ReadonlyArray<string>): string =>
  `{\n${fields.map((field) => `  ${field}\n`).join("")}}`

/** Declares a schema, by another one if it extends that one or only makes its fields optional. */
const declarationOf = (
  name: string,
  schema: JsonSchema,
  all: ReadonlyMap<string, ReadonlyArray<string>>,
): string => {
  const own = all.get(name)!
  if (own.length === 0) return `type ${name} = ${typeOf(schema)}`
  const complete = [...all].find(
    ([, fields]) => fields.join() !== own.join() && fields.map(optional).join() === own.join(),
  )
  if (complete !== undefined) return `type ${name} = Partial<${complete[0]}>`
  const base = [...all]
    .filter(([of, fields]) => name !== of && name.includes(of) && fields.length > 0)
    .sort(([, a], [, b]) => b.length - a.length)
    .find(([, fields]) => fields.every((field) => own.includes(field)))
  return base === undefined
    ? `interface ${name} ${block(own)}`
    : `interface ${name} extends ${base[0]} ${block(own.filter((field) => !base[1].includes(field)))}`
}

const optional = (field: string): string => field.replace(/^(readonly \w+)\??:/, "$1?:")

/** Returns an object on one line, if it is short. */
const inline = (type: string): string => {
  const line = type
    .replaceAll(/\n\s+(?=readonly )/g, "; ")
    .replace("{; ", "{ ")
    .replace(/\s+\}$/, " }")
  return line.includes("\n") || line.length > 100 ? type : line
}

const indented = (type: string): string => type.replaceAll("\n", "\n  ")

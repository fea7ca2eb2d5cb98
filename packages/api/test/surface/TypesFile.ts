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
    Object.entries({ ...components.schemas, Frame: { type: "object" } }),
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
  const inputOf = (place: "path" | "query") => (operation: Operation) => {
    const parameters = operation.parameters.filter((parameter) => parameter.in === place)
    if (parameters.length === 0) return null
    return typeOf({
      type: "object",
      properties: Object.fromEntries(
        parameters.map(({ description, name, schema }) => [name, { ...schema, description: description! }]),
      ),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
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
          : [`    readonly ${operation.operationId.split(".")[1]}: ${indented(indented(type))}\n`]
      })
      return types.length === 0 ? "" : `  readonly ${group}: {\n${types.join("")}  }\n`
    })
    return `export interface ${name} {\n${rows.join("")}}\n`
  }

  const tables = [
    `/** The answer of every endpoint. */\n${table("Answers", answerOf)}`,
    `/** The parameters of the paths. */\n${table("Paths", inputOf("path"))}`,
    `/** The queries of the endpoints that have one. */\n${table("Queries", inputOf("query"))}`,
    `/** The bodies of the endpoints that have one. */\n${table("Bodies", bodyOf)}`,
  ].join("\n")
  const used = reachable(tables, schemas)
  const interfaces = used.map((name) => {
    const schema = schemas.get(name)!
    const type = typeOf(schema)
    return schema.anyOf === undefined && type.startsWith("{\n")
      ? `${docs(name)}export interface ${name} ${type}\n`
      : `${docs(name)}export type ${name} = ${type}\n`
  })
  return `// biome-ignore-all format: generated
// biome-ignore-all lint/suspicious/noConfusingVoidType: the answer of endpoints without one
// Generated from the contract. To update it: npx vitest run packages/api/test/surface -u
// Types without schemas: type checkers need not read the contract, or anything of Effect.

${interfaces.join("\n")}
${tables}`
}

// internal

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

const objectOf = ({ additionalProperties, properties, required = [] }: JsonSchema): string => {
  if (properties === undefined) {
    const values = typeof additionalProperties === "object" ? typeOf(additionalProperties) : "unknown"
    return `{ readonly [key: string]: ${values} }`
  }
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `  readonly ${name}${required.includes(name) ? "" : "?"}: ${indented(typeOf(schema))}\n`,
  )
  return `{\n${fields.join("")}}`
}

const indented = (type: string): string => type.replaceAll("\n", "\n  ")

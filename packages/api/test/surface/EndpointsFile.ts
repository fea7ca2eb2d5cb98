/** Writes `src/surface/Endpoints.ts` from the OpenAPI document of the contract. */
import { Array } from "effect"
import { OpenApi } from "effect/http-api"
import { makeErrataApi } from "../../src/index.js"
import { shorthands } from "../../src/surface/Shorthands.js"

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly required: boolean }
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}

interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required: boolean
  readonly schema: { readonly type: string }
}

interface Endpoint extends Operation {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
}

const endpoints = (): ReadonlyArray<Endpoint> =>
  Object.entries(OpenApi.fromApi(makeErrataApi()).paths as object).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Operation>).map(([method, operation]) => {
      const [group = "", name = ""] = operation.operationId.split(".")
      return { ...operation, group, name, method: method.toUpperCase(), path }
    }),
  )

const route = ({ method, parameters, path, requestBody, responses }: Endpoint): string => {
  // An endpoint with 200 and 202 returns 200 if the work was done before.
  const status = Object.keys(responses).findLast((code) => code.startsWith("2"))!
  return JSON.stringify([
    method,
    path.slice("/api/service/v1".length).replaceAll(/\{(\w+)\}/g, ":$1"),
    Number(status),
    ...(requestBody === undefined ? [] : ["body"]),
    ...(parameters.some((parameter) => parameter.in === "query") ? ["query"] : []),
    ...("application/octet-stream" in (responses[status]?.content ?? {}) ? ["bytes"] : []),
  ]).replaceAll(",", ", ")
}

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const declaration = ({ group, name, parameters, requestBody, summary }: Endpoint): string => {
  const ids = parameters.filter((parameter) => parameter.in === "path")
  const query = parameters.filter((parameter) => parameter.in === "query")
  const optional = (isRequired: boolean) => (isRequired ? "" : "?")
  const params = [
    ...ids.map(({ name, schema }) => `${camel(name)}: ${schema.type === "integer" ? "number" : "string"}`),
    ...(requestBody === undefined
      ? []
      : [`body${optional(requestBody.required)}: Bodies["${group}"]["${name}"]`]),
    ...(query.length === 0
      ? []
      : [`query${optional(query.some(({ required }) => required))}: Queries["${group}"]["${name}"]`]),
  ]
  return `    /** ${summary} */\n    readonly ${name}: (${params.join(", ")}) => void\n`
}

const isShort = ({ group, name }: Endpoint) =>
  name in ((shorthands as Readonly<Record<string, object>>)[group] ?? {})

export const endpointsFile = (): string => {
  const groups = Object.entries(Array.groupBy(endpoints(), ({ group }) => group))
  const table = groups.map(
    ([group, all]) =>
      `  ${group}: {\n${all.map((endpoint) => `    ${endpoint.name}: ${route(endpoint)},\n`).join("")}  },\n`,
  )
  const types = groups.map(
    ([group, all]) =>
      `  readonly ${group}: {\n${all
        .filter((endpoint) => !isShort(endpoint))
        .map(declaration)
        .join("")}  }\n`,
  )
  return `// biome-ignore-all format: generated
// Generated from the contract. To update it: npx vitest run packages/api/test/surface -u
import type { Bodies, Queries } from "./Types.js"

/** The routes of the contract, without its schemas. */
export const routes = {
${table.join("")}} as const

/** The parameters of the calls; \`Shorthands.ts\` has the others. */
export interface Endpoints {
${types.join("")}}
`
}

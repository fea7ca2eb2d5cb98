/** How the OpenAPI 3.1 document of the contract is made: `OpenApi.fromApi(makeErrataApi())`, amended by this. */
import { problemMediaType } from "./Problem.js"

/** Of an operation whose body may be left out. */
export const withOptionalBody = (operation: Json): Json => ({
  ...operation,
  requestBody: { ...asObject(operation["requestBody"]), required: false },
})

/** Of an operation that answers bytes of one of these media types. */
export const withBytes =
  (mediaTypes: ReadonlyArray<string>) =>
  (operation: Json): Json => {
    const responses = asObject(operation["responses"])
    const content = Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: {} }]))
    return { ...operation, responses: { ...responses, 200: { ...asObject(responses["200"]), content } } }
  }

/**
 * Amends what the platform writes to what servers do. What cannot be decoded is answered with a problem, not with the
 * platform's own 400; unknown keys are ignored, and answers may gain keys; problems are named once and referred to.
 */
export const amend = (document: Json): Json => {
  const problems = new Map<string, Problem>()
  const paths = mapValues(asObject(document["paths"]), (path) =>
    mapValues(asObject(path), (operation) => amendOperation(asObject(operation), problems)),
  )
  const components = asObject(document["components"])
  const schemas = Object.entries(asObject(components["schemas"])).filter(([name]) => !platformOnly.has(name))
  const tidySchemas = asObject(
    tidy(
      Object.fromEntries([
        ...schemas,
        ...Array.from(problems.values(), ({ name, schema }) => [name, schema] as const),
      ]),
    ),
  )
  return {
    ...document,
    paths: withExamples(asObject(tidy(paths)), tidySchemas),
    components: {
      ...components,
      schemas: tidySchemas,
      responses: Object.fromEntries(
        Array.from(problems.values(), ({ description, name }) => [
          name,
          {
            description,
            content: {
              [problemMediaType]: {
                schema: { $ref: `#/components/schemas/${name}` },
                example: exampleOf(tidySchemas[name]),
              },
            },
          },
        ]),
      ),
    },
  }
}

// internal

type Json = Record<string, unknown>

interface Problem {
  readonly name: string
  readonly description: string
  readonly schema: unknown
}

const problemsByStatus: Readonly<Record<string, readonly [name: string, description: string]>> = {
  400: ["BadRequest", "The body is not JSON"],
  401: ["Unauthorized", "The API key is missing or invalid"],
  403: ["Forbidden", "The caller lacks permission"],
  404: ["NotFound", "The resource does not exist, or the caller cannot see it"],
  409: ["Conflict", "The request conflicts with the current state"],
  413: ["ContentTooLarge", "The body is larger than 1 MiB"],
  415: ["UnsupportedMediaType", "The body is not application/json"],
  422: ["ValidationFailed", "The input is invalid. Nothing was changed"],
  429: ["TooManyRequests", "Too many requests. Retry after the time in Retry-After"],
  500: ["InternalServerError", "Unexpected error"],
  503: ["ServiceUnavailable", "The storage is unavailable. Retry after the time in Retry-After"],
}

const platformOnly = new Set(["HttpApiDecodeError", "Issue", "PropertyKey", "Int"])

const amendOperation = (operation: Json, problems: Map<string, Problem>): Json => {
  const responses: Json = {}
  for (const [status, response] of Object.entries(asObject(operation["responses"]))) {
    const problem = problemsByStatus[status]
    if (problem === undefined) {
      responses[status] = { ...asObject(response), description: successes[status] ?? "Success" }
      continue
    }
    const schema = problemSchema(asObject(response))
    if (schema === undefined) continue
    const [name, description] = problem
    if (!problems.has(name)) problems.set(name, { name, description, schema })
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return { ...operation, responses }
}

/** The schema of a problem; none where there is only the platform's own 400, which may also stand beside a problem. */
const problemSchema = (response: Json): unknown => {
  const [content] = Object.values(asObject(response["content"]))
  const schema = asObject(asObject(content)["schema"])
  const members = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [schema]
  return members.find((member) => asObject(member)["$ref"] !== "#/components/schemas/HttpApiDecodeError")
}

const successes: Readonly<Record<string, string>> = { 200: "OK", 201: "Created", 204: "Done" }

/** Opens objects to other keys, and takes off names that only repeat what the schema says. */
const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== "object" || value === null) return value
  const { $ref, ...rest } = referenceOf(asObject(value))
  const tidied: Json =
    $ref === undefined ? {} : $ref === "#/components/schemas/Int" ? { type: "integer" } : { $ref }
  for (const [key, item] of Object.entries(rest)) {
    // What applications sent, or might have sent, is no schema.
    if (key === "examples") {
      tidied[key] = item
      continue
    }
    if (key === "additionalProperties" && item === false) continue
    if (key === "required" && Array.isArray(item) && item.length === 0) continue
    // The document's own title is no schema's: there is no type beside it.
    if ((key === "title" && typeof item === "string" && "type" in rest) || isOwnWords(key, item)) continue
    tidied[key] = tidy(item)
  }
  return tidied
}

/** A field with a description of its own refers to its schema beside it: other than before 3.1 both count. */
const referenceOf = (schema: Json): Json => {
  const { allOf, ...rest } = schema
  const [only, ...others] = Array.isArray(allOf) ? allOf.map(asObject) : []
  return only !== undefined && others.length === 0 && "$ref" in only ? { ...only, ...rest } : schema
}

const exampleOf = (schema: unknown): unknown => {
  const { examples } = asObject(schema)
  return Array.isArray(examples) ? examples[0] : undefined
}

/** Shows what is sent and answered by the example of its schema. */
const withExamples = (paths: Json, schemas: Json): Json => {
  const shown = (media: Json): Json => {
    const schema = asObject(media["schema"] ?? {})
    const name = String(schema["$ref"] ?? "").slice("#/components/schemas/".length)
    const example = exampleOf(name === "" ? schema : (schemas[name] ?? {}))
    return example === undefined ? media : { ...media, example }
  }
  const inContent = (holder: Json): Json =>
    holder["content"] === undefined
      ? holder
      : { ...holder, content: mapValues(asObject(holder["content"]), (media) => shown(asObject(media))) }
  return mapValues(paths, (path) =>
    mapValues(asObject(path), (value) => {
      const operation = asObject(value)
      return {
        ...operation,
        ...(operation["requestBody"] === undefined
          ? {}
          : { requestBody: inContent(asObject(operation["requestBody"])) }),
        responses: mapValues(asObject(operation["responses"]), (response) => inContent(asObject(response))),
      }
    }),
  )
}

/** How the platform's refinements describe themselves, e.g. `a number between 1 and 10`. */
const isOwnWords = (key: string, item: unknown): boolean =>
  key === "description" &&
  typeof item === "string" &&
  /^an? (?:integer|number|positive|string|array)\b/.test(item)

const asObject = (value: unknown): Json => value as Json

const mapValues = (object: Json, f: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value)]))

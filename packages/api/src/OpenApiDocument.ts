/** Amendments to the OpenAPI 3.1 document that `OpenApi.fromApi(makeErrataApi())` generates. */
import { problemMediaType } from "./Problem.js"

/** Marks the request body of an operation as optional. */
export const withOptionalBody = (operation: Json): Json => ({
  ...operation,
  requestBody: { ...asObject(operation["requestBody"]), required: false },
})

/** Declares the response of an operation as bytes of one of these media types. */
export const withBytes =
  (mediaTypes: ReadonlyArray<string>) =>
  (operation: Json): Json => {
    const responses = asObject(operation["responses"])
    const content = Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: {} }]))
    return { ...operation, responses: { ...responses, 200: { ...asObject(responses["200"]), content } } }
  }

/**
 * Makes the generated document match the server: unknown keys are ignored, responses may gain keys, and problem
 * responses become shared components.
 */
export const amend = (document: Json): Json => {
  const components = asObject(document["components"])
  const schemas = asObject(tidy(components["schemas"]))
  const problems = new Set<string>()
  const paths = mapValues(asObject(document["paths"]), (path) =>
    mapValues(asObject(path), (operation) => amendOperation(asObject(operation), problems)),
  )
  return {
    ...document,
    paths: withExamples(asObject(tidy(paths)), schemas),
    components: {
      ...components,
      schemas,
      responses: Object.fromEntries(
        Object.values(problemsByStatus)
          .filter(([name]) => problems.has(name))
          .map(([name, description]) => [name, problemResponse(name, description, schemas[name])]),
      ),
    },
  }
}

// internal

type Json = Record<string, unknown>

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

const problemResponse = (name: string, description: string, schema: unknown): Json => ({
  description,
  content: {
    [problemMediaType]: { schema: { $ref: `#/components/schemas/${name}` }, example: exampleOf(schema) },
  },
})

const amendOperation = (operation: Json, problems: Set<string>): Json => {
  const responses: Json = {}
  for (const [status, response] of Object.entries(asObject(operation["responses"]))) {
    const problem = problemsByStatus[status]
    if (problem === undefined) {
      responses[status] = { ...asObject(response), description: successes[status] ?? "Success" }
      continue
    }
    const [name] = problem
    problems.add(name)
    responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return { ...operation, parameters: asArray(operation["parameters"]).map(amendParameter), responses }
}

/** Copies the description from the parameter's schema to the parameter. */
const amendParameter = (parameter: unknown): Json => {
  const { description } = asObject(tidy(asObject(parameter)["schema"]))
  return { ...asObject(parameter), ...(description === undefined ? {} : { description }) }
}

const successes: Readonly<Record<string, string>> = { 200: "OK", 201: "Created", 204: "Done" }

/** Allows additional keys in objects and removes keywords that only repeat the type of a schema. */
const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== "object" || value === null) return value
  const tidied: Json = {}
  for (const [key, item] of Object.entries(folded(asObject(value)))) {
    if (key === "additionalProperties" && item === false) continue
    if (key === "minimum" && item === Number.MIN_SAFE_INTEGER) continue
    if (key === "maximum" && item === Number.MAX_SAFE_INTEGER) continue
    // The status identifies a problem on the wire.
    if (key === "_tag") continue
    // Examples are data: schema keywords in them must stay.
    tidied[key] = key === "examples" ? item : tidy(item)
  }
  return tidied
}

/** Effect writes a field's description into `allOf`. OpenAPI 3.1 allows it beside other keywords and `$ref`. */
const folded = ({ allOf, ...schema }: Json): Json => Object.assign(schema, ...asArray(allOf))

const exampleOf = (schema: unknown): unknown => {
  const { examples } = asObject(schema)
  return Array.isArray(examples) ? examples[0] : undefined
}

/** Adds the example of its schema to each request and response body. */
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

const asObject = (value: unknown): Json => value as Json

const asArray = (value: unknown): ReadonlyArray<Json> => (value ?? []) as ReadonlyArray<Json>

const mapValues = (object: Json, f: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value)]))

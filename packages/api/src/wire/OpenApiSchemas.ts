/** Checks requests and responses against the server's OpenAPI document. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { isObject, type Json, type JsonObject } from "./Json.js"

export interface Operation {
  /** In upper case. */
  readonly method: string
  /** Relative to the API's path, e.g. `/projects/{project_id}`. */
  readonly template: string
  /** JSON Pointer to the operation in the document. */
  readonly pointer: string
  readonly definition: Json
}

const methods = ["get", "put", "post", "delete", "patch"]

export class OpenApiSchemas {
  readonly operations: ReadonlyArray<Operation>
  readonly #answers: Ajv2020
  readonly #requests: Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()

  /** `apiPath` is the path of the API. Paths of the document start with it, after the path of the first server URL. */
  constructor(
    readonly document: Json,
    apiPath: string,
  ) {
    const server = new URL(document.servers?.[0]?.url ?? "/", "http://localhost").pathname.replace(/\/$/, "")
    this.operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      methods
        .filter((method) => method in item)
        .map((method) => ({
          method: method.toUpperCase(),
          template: templateOf(server + path, apiPath),
          pointer: `/paths/${escape(path)}/${method}`,
          definition: item[method],
        })),
    )
    this.#answers = validatorOf(closed(document))
    this.#requests = validatorOf(document)
  }

  /** The operation of a request, or undefined if the document has none. */
  find(method: string, path: string): Operation | undefined {
    const wanted = method === "HEAD" ? "GET" : method
    const segments = path.split("/")
    return this.operations
      .filter((operation) => operation.method === wanted && matches(operation.template.split("/"), segments))
      .sort((a, b) => parametersOf(a.template).length - parametersOf(b.template).length)[0]
  }

  /** Returns the mismatch of a response with the document, or null. Undocumented keys are a mismatch. */
  problemOfAnswer(
    { definition, method, pointer: start, template }: Operation,
    status: number,
    mediaType: string | undefined,
    body: unknown,
  ): string | null {
    const declared = definition.responses[String(status)]
    if (declared === undefined) return `${status} is not documented for ${method} ${template}`
    const [response, pointer] = this.#resolve(declared, `${start}/responses/${status}`)
    if (mediaType === undefined) {
      return response.content === undefined ? null : `${status} came without the documented body`
    }
    const content = response.content?.[mediaType]
    if (content === undefined) return `${mediaType} is not documented for ${status} of ${method} ${template}`
    return this.#check(this.#answers, `${pointer}/content/${escape(mediaType)}/schema`, body)
  }

  /** Returns the mismatch of an accepted request with the document, or null. */
  problemOfRequest({ definition, method, pointer, template }: Operation, body: unknown): string | null {
    const content = definition.requestBody?.content?.["application/json"]
    if (content === undefined) return `no body is documented for ${method} ${template}`
    return this.#check(this.#requests, `${pointer}/requestBody/content/application~1json/schema`, body)
  }

  /** Compiles every schema of requests and responses. Returns the errors. */
  compileAll(): ReadonlyArray<string> {
    return this.operations.flatMap((operation) => [
      ...Object.entries<Json>(operation.definition.responses).flatMap(([status, declared]) =>
        Object.keys(this.#resolve(declared, "")[0].content ?? {}).flatMap((mediaType) =>
          failureOf(() => this.problemOfAnswer(operation, Number(status), mediaType, {})),
        ),
      ),
      ...(operation.definition.requestBody === undefined
        ? []
        : failureOf(() => this.problemOfRequest(operation, {}))),
    ])
  }

  #check(ajv: Ajv2020, pointer: string, value: unknown): string | null {
    const key = `${ajv === this.#answers}${pointer}`
    const validate = this.#compiled.get(key) ?? ajv.compile({ $ref: `${documentId}#${pointer}` })
    this.#compiled.set(key, validate)
    if (validate(value)) return null
    return ajv.errorsText(validate.errors, { dataVar: "body" }) + extraKeys(validate)
  }

  #resolve(value: Json, pointer: string): readonly [Json, string] {
    const reference: string | undefined = value.$ref
    if (reference === undefined) return [value, pointer]
    const target = reference.slice(1)
    return [
      target
        .split("/")
        .slice(1)
        .reduce((part: Json, key) => part[key], this.document),
      target,
    ]
  }
}

/** Names of the parameters of a path template, in order. */
export const parametersOf = (template: string): ReadonlyArray<string> =>
  Array.from(template.matchAll(/\{(\w+)\}/g), (match) => match[1]!)

// internal

const documentId = "https://errata.example/openapi.json"

const validatorOf = (document: Json): Ajv2020 => {
  // Not strict: OpenAPI has keywords that are not of JSON Schema.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  formats.default(ajv)
  ajv.addSchema(document, documentId)
  return ajv
}

/** Rejects additional keys in objects, so that undocumented keys in responses are found. */
const closed = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(closed)
  if (!isObject(value)) return value
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) copy[key] = closed(item)
  if (value["type"] === "object" && isObject(value["properties"]) && !("additionalProperties" in value)) {
    copy["additionalProperties"] = false
  }
  return copy
}

const templateOf = (path: string, apiPath: string): string =>
  path.startsWith(apiPath) ? path.slice(apiPath.length) : path

const matches = (template: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  template.length === path.length &&
  template.every((part, i) => (part.startsWith("{") ? path[i] !== "" : part === path[i]))

const escape = (text: string): string => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"))

const extraKeys = ({ errors }: ValidateFunction): string => {
  const names = (errors ?? []).flatMap(({ params }: { readonly params: JsonObject }) =>
    params["additionalProperty"] === undefined ? [] : [String(params["additionalProperty"])],
  )
  return names.length === 0 ? "" : ` (${names.join(", ")})`
}

const failureOf = (work: () => unknown): ReadonlyArray<string> => {
  try {
    work()
    return []
  } catch (error) {
    return [String(error)]
  }
}

/** The server's OpenAPI document, and whether what it answers is in it. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { isObject, type Json, type JsonObject } from "./Json.js"

export interface Operation {
  /** In capitals. */
  readonly method: string
  /** Below the API's path, e.g. `/projects/{project_id}`. */
  readonly template: string
  /** Where it stands in the document. */
  readonly pointer: string
  readonly definition: Json
}

const methods = ["get", "put", "post", "delete", "patch"]

export class OpenApiSchemas {
  readonly operations: ReadonlyArray<Operation>
  readonly #answers: Ajv2020
  readonly #requests: Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()

  /** `apiPath` is where the API was reached: paths of the document start with it, after the path of its first server. */
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

  /** The operation of a request, undefined where the document has none. */
  find(method: string, path: string): Operation | undefined {
    const wanted = method === "HEAD" ? "GET" : method
    const segments = path.split("/")
    return this.operations
      .filter((operation) => operation.method === wanted && matches(operation.template.split("/"), segments))
      .sort((a, b) => parametersOf(a.template).length - parametersOf(b.template).length)[0]
  }

  /** What is wrong with an answer by the document; null where nothing is. Keys it does not name are wrong. */
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

  /** What is wrong with a request that was accepted; null where nothing is. */
  problemOfRequest({ definition, method, pointer, template }: Operation, body: unknown): string | null {
    const content = definition.requestBody?.content?.["application/json"]
    if (content === undefined) return `no body is documented for ${method} ${template}`
    return this.#check(this.#requests, `${pointer}/requestBody/content/application~1json/schema`, body)
  }

  /** Compiles every schema that an answer or a request may be checked against. */
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

/** The names in a path template, in order. */
export const parametersOf = (template: string): ReadonlyArray<string> =>
  Array.from(template.matchAll(/\{(\w+)\}/g), (match) => match[1]!)

// internal

const documentId = "https://errata.example/openapi.json"

const validatorOf = (document: Json): Ajv2020 => {
  // The document has keywords of its own beside those of its schemas.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  formats.default(ajv)
  ajv.addSchema(document, documentId)
  return ajv
}

/** Answers with keys that the document does not name are not described by it: objects take no others. */
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

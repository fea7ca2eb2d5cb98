/** The table of tools, from which the server makes its registrations with the library. */
import type { CurrentActor, Grant, Services } from "@errata/core"
import { DecodeIssues } from "@errata/core/internal"
import { Effect, Schema } from "effect"
import { type ArgumentNames, type CoreError, Failure, toFailure } from "./Failure.js"
import { jsonSchemaOf } from "./Fields.js"

/** The requirements of a tool: services and the caller. */
export type Needs = Services.Services | CurrentActor

/** JSON that matches the output schema. */
export type Answer = Readonly<Record<string, unknown>>

export interface Tool {
  /** In snake_case. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** The grant that the caller's credential needs. */
  readonly scope: Grant
  readonly annotations: Annotations
  readonly inputSchema: JsonObjectSchema
  readonly outputSchema: JsonObjectSchema
  readonly call: (input: unknown) => Effect.Effect<Answer, Failure, Needs>
}

/** Hints for clients. Two of them apply only to tools that change data. */
export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  /** False: tools touch nothing outside of the instance. */
  readonly openWorldHint: false
}

export interface JsonObjectSchema extends Readonly<Record<string, unknown>> {
  readonly type: "object"
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: ReadonlyArray<string>
}

export interface Definition<Input extends Schema.Struct.Fields, Output extends Schema.Struct.Fields> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** Names of arguments by their names in the core; see `Failure`. */
  readonly names?: ArgumentNames
  readonly handle: (
    input: Schema.Struct.Type<Input>,
  ) => Effect.Effect<Schema.Struct.Type<Output>, CoreError, Needs>
}

/** Defines a tool that reads. */
export const reading = <Input extends Schema.Struct.Fields, Output extends Schema.Struct.Fields>(
  definition: Definition<Input, Output>,
): Tool => make(definition, "read", { readOnlyHint: true, openWorldHint: false })

/** Defines a tool that changes data. Changes that cannot be undone are destructive. */
export const changing = <Input extends Schema.Struct.Fields, Output extends Schema.Struct.Fields>(
  definition: Definition<Input, Output>,
  {
    destructive = false,
    idempotent = false,
  }: { readonly destructive?: boolean; readonly idempotent?: boolean } = {},
): Tool =>
  make(definition, "write", {
    readOnlyHint: false,
    destructiveHint: destructive,
    // The default is false.
    ...(idempotent && { idempotentHint: true }),
    openWorldHint: false,
  })

// internal

const make = <Input extends Schema.Struct.Fields, Output extends Schema.Struct.Fields>(
  { description, handle, input, name, names = {}, output, title }: Definition<Input, Output>,
  scope: Grant,
  annotations: Annotations,
): Tool => {
  const inputSchema = Schema.Struct(input)
  const decode = Schema.decodeUnknownEffect(
    inputSchema as unknown as Schema.Codec<Schema.Struct.Type<Input>>,
    // As over REST, unknown arguments are ignored.
    DecodeIssues.parseOptions,
  )
  return {
    name,
    title,
    description,
    scope,
    annotations,
    inputSchema: objectSchemaOf(inputSchema),
    outputSchema: withoutRequired(objectSchemaOf(Schema.Struct(output))),
    call: Effect.fn(`Mcp.${name}`)(function* (given: unknown) {
      const decoded = yield* Effect.mapError(decode(given ?? {}), invalidArguments)
      return (yield* handle(decoded).pipe(toFailure(names))) as Answer
    }),
  }
}

const invalidArguments = ({ issue }: Schema.SchemaError): Failure =>
  new Failure({
    message: `Invalid arguments: ${DecodeIssues.of(issue)
      .map(({ message, path }) => `${path.map(String).join(".")} ${message}`.trim())
      .join("; ")
      .slice(0, 1_000)}`,
  })

const objectSchemaOf = (schema: Schema.Top): JsonObjectSchema =>
  lean(jsonSchemaOf(schema)) as JsonObjectSchema

/** Output schemas state the types of fields, and results omit fields without a value. */
const withoutRequired = ({ required: _, ...schema }: JsonObjectSchema): JsonObjectSchema =>
  schema as JsonObjectSchema

/**
 * Removes empty lists of required fields, which older drafts reject, and rules about additional fields. Moves descriptions
 * of fields beside the type.
 */
const lean = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(lean)
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, item]) => {
      if (key === "allOf" && Array.isArray(item)) return Object.assign({}, ...item)
      const isEmpty = key === "required" && Array.isArray(item) && item.length === 0
      return isEmpty || (key === "additionalProperties" && typeof item === "boolean")
        ? {}
        : { [key]: lean(item) }
    }),
  )
}

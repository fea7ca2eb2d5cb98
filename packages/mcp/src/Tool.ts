/** A tool as it stands in the table, from which whatever serves the protocol makes its registrations. */
import { type CurrentActor, DecodeIssues, type Grant, type Services } from "@errata/core"
import { Effect, JSONSchema, type ParseResult, Schema } from "effect"
import { type ArgumentNames, type CoreError, Failure, toFailure } from "./Failure.js"

/** What a tool may need: services, and who calls. */
export type Needs = Services.Services | CurrentActor

export interface Answer {
  /** Plain JSON, as the output schema says. */
  readonly structured: Readonly<Record<string, unknown>>
  /** What a model reads. */
  readonly text: string
}

export interface Tool {
  /** In snake_case. */
  readonly name: string
  readonly title: string
  readonly description: string
  /** What the caller's credential has to grant. */
  readonly scope: Grant
  readonly annotations: Annotations
  readonly inputSchema: JsonObjectSchema
  readonly outputSchema: JsonObjectSchema
  readonly call: (input: unknown) => Effect.Effect<Answer, Failure, Needs>
}

export interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  /** Nothing outside of the instance is touched. */
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
  /** What the core calls otherwise than the arguments; see `Failure`. */
  readonly names?: ArgumentNames
  readonly handle: (
    input: Schema.Struct.Type<Input>,
  ) => Effect.Effect<Schema.Struct.Type<Output> | Told<Schema.Struct.Type<Output>>, CoreError, Needs>
}

/** A result with words of its own; others are read as their JSON. */
export class Told<A> {
  constructor(
    readonly structured: A,
    readonly text: string,
  ) {}
}

/** A tool that looks at things. */
export const reading = <Input extends Schema.Struct.Fields, Output extends Schema.Struct.Fields>(
  definition: Definition<Input, Output>,
): Tool => make(definition, "read", { destructive: false, idempotent: true })

/** A tool that changes things. Destructive is what cannot be taken back. */
export const changing = <Input extends Schema.Struct.Fields, Output extends Schema.Struct.Fields>(
  definition: Definition<Input, Output>,
  hints: { readonly destructive: boolean; readonly idempotent: boolean },
): Tool => make(definition, "write", hints)

// internal

const make = <Input extends Schema.Struct.Fields, Output extends Schema.Struct.Fields>(
  { description, handle, input, name, names = {}, output, title }: Definition<Input, Output>,
  scope: Grant,
  { destructive, idempotent }: { readonly destructive: boolean; readonly idempotent: boolean },
): Tool => {
  const inputSchema = Schema.Struct(input)
  const decode = Schema.decodeUnknown(
    inputSchema as unknown as Schema.Schema<Schema.Struct.Type<Input>>,
    // A misspelt argument that is ignored does something else than what was meant.
    { errors: "all", onExcessProperty: "error" },
  )
  return {
    name,
    title,
    description,
    scope,
    annotations: {
      readOnlyHint: scope === "read",
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: false,
    },
    inputSchema: jsonSchemaOf(inputSchema),
    outputSchema: jsonSchemaOf(Schema.Struct(output)),
    call: Effect.fn(`Mcp.${name}`)(function* (given: unknown) {
      const decoded = yield* Effect.mapError(decode(given ?? {}), invalidArguments)
      const result = yield* handle(decoded).pipe(toFailure(names))
      const structured = (result instanceof Told ? result.structured : result) as Answer["structured"]
      return { structured, text: result instanceof Told ? result.text : JSON.stringify(structured) }
    }),
  }
}

const invalidArguments = (error: ParseResult.ParseError): Failure =>
  new Failure({
    message: `Invalid arguments: ${DecodeIssues.of(error)
      .map(({ message, path }) => `${path.map(String).join(".")} ${message}`.trim())
      .join("; ")
      .slice(0, 1_000)}`,
  })

/** In one piece, without references. */
const jsonSchemaOf = (schema: Schema.Schema.All): JsonObjectSchema => {
  const { $schema: _, ...json } = JSONSchema.make(Schema.make<unknown>(schema.ast))
  // Older drafts know no empty list of what is required.
  const { required, ...rest } = json as { readonly required?: ReadonlyArray<string> }
  return (required?.length === 0 ? rest : json) as unknown as JsonObjectSchema
}

/** Building blocks of the views. */
import { Schema } from "effect"

/** ISO 8601 in UTC with milliseconds, e.g. `2026-01-02T03:04:05.678Z`. */
export const Timestamp = Schema.DateTimeUtcFromString.pipe(
  Schema.annotateEncoded({
    identifier: "Timestamp",
    format: "date-time",
    description: "ISO 8601 in UTC with milliseconds",
  }),
)

/** A schema of the values that `is` accepts. The OpenAPI document shows `jsonSchema` for it. */
export const opaque = <T>(
  is: (value: unknown) => value is T,
  jsonSchema: { readonly [key: string]: unknown },
  message?: string,
) =>
  Schema.declare(is, { message, toCodecJson: asItIs, toCodecStringTree: asItIs }).check(
    Schema.makeFilter(() => true, { toJsonSchema: () => jsonSchema }),
  )

export const isJsonObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A JSON object with any keys. Decoding does not copy it: stacks have thousands of such objects. */
export const JsonObject = opaque(isJsonObject, { type: "object" }).annotate({ identifier: "JsonObject" })

/**
 * A field with its description for the OpenAPI document. The key is annotated and not the schema, which other fields
 * share. The document shows the encoded side, so a transformation is annotated there.
 */
export const described = <S extends Schema.Top>(description: string, field: S): S["Rebuild"] =>
  field.ast.encoding === undefined
    ? field.annotateKey({ description })
    : Schema.flip(Schema.flip(field).annotateKey({ description }))

/** Names a schema in the OpenAPI document, which also shows the example. */
export const named = <S extends Schema.Top>(identifier: string, example: S["Encoded"]) =>
  Schema.annotateEncoded<S>({ identifier, examples: [example] })

/** A response with a status other than 200. The OpenAPI document inlines its schema. */
export const withStatus = <S extends Schema.Top>(status: number, schema: S): S["Rebuild"] =>
  schema.annotate({ httpApiStatus: status, identifier: undefined })

// internal

function asItIs(): undefined {}

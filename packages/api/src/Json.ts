/** What the views are made of. */
import { Schema } from "effect"

/** ISO 8601 in UTC with milliseconds, e.g. `2026-01-02T03:04:05.678Z`. */
export const Timestamp = Schema.DateTimeUtcFromString.pipe(
  Schema.annotateEncoded({
    identifier: "Timestamp",
    format: "date-time",
    description: "ISO 8601 in UTC with milliseconds",
  }),
)

/** A schema of the values that `is` accepts, for which the OpenAPI document has the JSON Schema given. */
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

/** A JSON object of whatever keys the application sent. Not copied: stacks hold thousands. */
export const JsonObject = opaque(isJsonObject, { type: "object" }).annotate({ identifier: "JsonObject" })

/**
 * A field with the description that the OpenAPI document shows. It belongs to the field and not to its schema, which
 * other fields have as well. The document shows the encoded side, which transformations have of their own.
 */
export const described = <S extends Schema.Top>(description: string, field: S): S["Rebuild"] =>
  field.ast.encoding === undefined
    ? field.annotateKey({ description })
    : Schema.flip(Schema.flip(field).annotateKey({ description }))

/** A response with another status than 200. The OpenAPI document has it in place, and not by its name. */
export const withStatus = <S extends Schema.Top>(status: number, schema: S): S["Rebuild"] =>
  schema.annotate({ httpApiStatus: status, identifier: undefined })

// internal

function asItIs(): undefined {}

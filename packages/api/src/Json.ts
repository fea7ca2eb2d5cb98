/** What the views are made of. */
import { DateTime, Schema } from "effect"

/** ISO 8601 in UTC with milliseconds, e.g. `2026-01-02T03:04:05.678Z`. */
export const Timestamp = Schema.DateTimeUtcFromString.annotations({
  identifier: "Timestamp",
  jsonSchema: { type: "string", format: "date-time", description: "ISO 8601 in UTC with milliseconds" },
})

/** A timestamp of an example. */
export const at = (time: string): DateTime.Utc => DateTime.makeUnsafe(time)

/** A JSON object of whatever keys the application sent. Not copied: stacks hold thousands. */
export const JsonObject = Schema.declare(
  (value: unknown): value is { readonly [key: string]: unknown } =>
    typeof value === "object" && value !== null && !Array.isArray(value),
  { identifier: "JsonObject", jsonSchema: { type: "object" } },
)

/**
 * A field with the description that the OpenAPI document shows. It belongs to the field and not to its schema, which
 * other fields have as well, and which messages about wrong values would quote.
 */
export function described<A, I, R>(
  description: string,
  field: Schema.Codec<A, I, R>,
): Schema.PropertySignature<":", A, never, ":", I, false, R>
export function described<
  TypeToken extends Schema.PropertySignature.Token,
  Type,
  EncodedToken extends Schema.PropertySignature.Token,
  Encoded,
  R,
>(
  description: string,
  field: Schema.PropertySignature<TypeToken, Type, never, EncodedToken, Encoded, false, R>,
): Schema.PropertySignature<TypeToken, Type, never, EncodedToken, Encoded, false, R>
export function described(
  description: string,
  field: Schema.Schema.All | Schema.PropertySignature.All,
): Schema.PropertySignature.All {
  const signature = Schema.isSchema(field) ? Schema.propertySignature(field) : field
  return (signature as Schema.PropertySignature<":", unknown, never, ":", unknown>).annotations({
    description,
  })
}

/** What the views are made of. */
import { Schema } from "effect"

/** ISO 8601 in UTC with milliseconds, e.g. `2026-01-02T03:04:05.678Z`. */
export const Timestamp = Schema.DateTimeUtc.annotations({
  identifier: "Timestamp",
  jsonSchema: { type: "string", format: "date-time" },
})

/** A JSON object of whatever keys the application sent. Not copied: stacks hold thousands. */
export const JsonObject = Schema.declare(
  (value: unknown): value is { readonly [key: string]: unknown } =>
    typeof value === "object" && value !== null && !Array.isArray(value),
  { identifier: "JsonObject", jsonSchema: { type: "object" } },
)

/** With a description that the OpenAPI document shows. */
export const described = <S extends Schema.Annotable.All>(description: string, schema: S) =>
  schema.annotations({ description }) as Schema.Annotable.Self<S>

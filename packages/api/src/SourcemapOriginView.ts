/** An origin from which source maps of a project may be fetched, as the API shows it. */
import type { SourcemapOrigin } from "@errata/core"
import { Schema } from "effect"
import { described, Timestamp } from "./Json.js"
import { Text } from "./Params.js"

export const SourcemapOriginView = Schema.Struct({
  id: Schema.Int,
  origin: described("In canonical form, e.g. `https://cdn.example.com`.", Schema.String),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotations({ identifier: "HostedSourcemapOrigin" })
export type SourcemapOriginView = typeof SourcemapOriginView.Type

export const SourcemapOriginCreation = Schema.Struct({ origin: Text }).annotations({
  identifier: "HostedSourcemapOriginCreation",
})
export type SourcemapOriginCreation = typeof SourcemapOriginCreation.Type

export const sourcemapOriginView = (origin: SourcemapOrigin): SourcemapOriginView => ({
  id: origin.id,
  origin: origin.origin,
  created_at: origin.createdAt,
  updated_at: origin.updatedAt,
})

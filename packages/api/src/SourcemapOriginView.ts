/** An origin from which source maps of a project may be fetched, as the API shows it. */
import type { SourcemapOrigin } from "@errata/core"
import { Schema } from "effect"
import { int, text, time, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"
import { Text } from "./Params.js"

/** An origin that source maps may be fetched from, as REST shows it. */
export const SourcemapOriginView = Schema.Struct({
  id: int("Id of the origin"),
  origin: text("In canonical form, e.g. `https://cdn.example.com`."),
  created_at: time("Time of creation"),
  updated_at: time("Time of the last change"),
}).pipe(
  named("HostedSourcemapOrigin", {
    id: 6,
    origin: "https://cdn.example.com",
    created_at: "2026-01-01T08:00:00.000Z",
    updated_at: "2026-01-01T08:00:00.000Z",
  }),
)
export type SourcemapOriginView = typeof SourcemapOriginView.Type

/** The input for a new authorized origin. */
export const SourcemapOriginCreation = Schema.Struct({
  origin: described(
    "Public HTTPS origin, without path, query, fragment, credentials, wildcard or IP address",
    Text,
  ),
}).pipe(named("HostedSourcemapOriginCreation", { origin: "https://cdn.example.com" }))
export type SourcemapOriginCreation = typeof SourcemapOriginCreation.Type

export const sourcemapOriginView: (origin: SourcemapOrigin) => SourcemapOriginView = viewOf(
  SourcemapOriginView.fields,
)

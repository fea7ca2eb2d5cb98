import { Schema } from "effect"
import { ProjectId } from "../project/Project.js"

export const SourcemapOriginId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("SourcemapOriginId"),
)
export type SourcemapOriginId = typeof SourcemapOriginId.Type

/** Where a project's hosted source maps may be fetched from. */
export class SourcemapOrigin extends Schema.Class<SourcemapOrigin>("SourcemapOrigin")({
  id: SourcemapOriginId,
  projectId: ProjectId,
  /** In the form of `canonicalOrigin`. */
  origin: Schema.String,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
}) {}

import { type DateTime, Schema } from "effect"
import type { ProjectId } from "../project/Project.js"

/** Identifies an authorized origin: a positive integer, larger for newer ones. */
export const SourcemapOriginId = Schema.Int.pipe(
  Schema.check(Schema.isGreaterThan(0)),
  Schema.brand("SourcemapOriginId"),
)
export type SourcemapOriginId = typeof SourcemapOriginId.Type

/** Where a project's hosted source maps may be fetched from. */
export interface SourcemapOrigin {
  readonly id: SourcemapOriginId
  readonly projectId: ProjectId
  /** In the form of `canonicalOrigin`. */
  readonly origin: string
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

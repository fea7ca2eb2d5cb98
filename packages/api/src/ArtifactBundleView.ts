/** An upload of artifacts as the API shows it. */
import type { ArtifactBundle, ArtifactBundleDetail } from "@errata/core"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"

const what = (description: string) => described(description, Schema.NullOr(Schema.String))

const fields = {
  id: described("The upload's id", Schema.Int),
  project_id: described("The project that it was uploaded to", Schema.Int),
  kind: described(
    "A `bundle` that a build tool made, a `release_file` that was uploaded by itself, or a `debug_file`",
    Schema.Literal("bundle", "release_file", "debug_file"),
  ),
  state: described(
    "`failed` where it could not be read; it has no files then, and `detail` says why",
    Schema.Literal("ok", "failed"),
  ),
  detail: what("Why it failed, or what was odd about it; null where there is nothing to say"),
  checksum: described("SHA-1 of the whole, in hexadecimal", Schema.String),
  size: described("Bytes of the whole, as it was uploaded", Schema.Int),
  files_count: described("How many files it brought", Schema.Int),
  name: what("The name of a file that was uploaded by itself"),
  note: what("What its uploader said about it; null where they said nothing"),
  links: described(
    "What it belongs to. Where the release is null its files are found by their debug ids alone",
    Schema.Array(
      Schema.Struct({
        release: what("The version of the release; null where it belongs to none"),
        dist: what("The build of that release; null where it belongs to all of them"),
      }),
    ),
  ),
  uploaded_by: described(
    "The id of the user who uploaded it; null where no user did",
    Schema.NullOr(Schema.Int),
  ),
  created_at: described("When it was uploaded first", Timestamp),
  uploaded_at: described("When it was uploaded last: build tools send the same again", Timestamp),
  last_used_at: described(
    "When a report was resolved with it last; null before the first",
    Schema.NullOr(Timestamp),
  ),
}

const example = {
  id: 31,
  project_id: 1,
  kind: "bundle",
  state: "ok",
  detail: null,
  checksum: "80dc7b1f4ad3fc4a3d6cb5eeb7a7d2d8a5a4b0c1",
  size: 1_320_448,
  files_count: 2,
  name: null,
  note: null,
  links: [{ release: "shop@1.4.0", dist: null }],
  uploaded_by: 7,
  created_at: at("2026-01-01T08:01:00.000Z"),
  uploaded_at: at("2026-01-01T08:01:00.000Z"),
  last_used_at: at("2026-01-05T09:30:00.000Z"),
} as const

export const ArtifactBundleView = Schema.Struct(fields).annotations({
  identifier: "ArtifactBundle",
  examples: [example],
})
export type ArtifactBundleView = typeof ArtifactBundleView.Type

const ArtifactFileView = Schema.Struct({
  type: described(
    "What it is to the browser",
    Schema.Literal("source", "minified_source", "source_map", "indexed_ram_bundle"),
  ),
  url: what("Where it is found, as its uploader said"),
  debug_id: what("What a script and its source map have in common, whatever they are called"),
  source_map: what("Of a script: where it says that its map is"),
  size: described("Bytes of its content", Schema.Int),
})

export const ArtifactBundleDetailView = Schema.Struct({
  ...fields,
  files: described("The first 1,000 of its files, in its order", Schema.Array(ArtifactFileView)),
}).annotations({
  identifier: "ArtifactBundleDetail",
  examples: [
    {
      ...example,
      files: [
        {
          type: "minified_source",
          url: "~/assets/app.js",
          debug_id: "dd22ed14-cca4-527f-a916-3e5ac5b3dcec",
          source_map: "app.js.map",
          size: 412_007,
        },
        {
          type: "source_map",
          url: "~/assets/app.js.map",
          debug_id: "dd22ed14-cca4-527f-a916-3e5ac5b3dcec",
          source_map: null,
          size: 6_300_112,
        },
      ],
    },
  ],
})
export type ArtifactBundleDetailView = typeof ArtifactBundleDetailView.Type

export const artifactBundleView = (bundle: ArtifactBundle): ArtifactBundleView => ({
  id: bundle.id,
  project_id: bundle.projectId,
  kind: bundle.kind,
  state: bundle.state,
  detail: bundle.detail,
  checksum: bundle.checksum,
  size: bundle.size,
  files_count: bundle.filesCount,
  name: bundle.name,
  note: bundle.note,
  links: bundle.links,
  uploaded_by: bundle.uploadedBy,
  created_at: bundle.createdAt,
  uploaded_at: bundle.uploadedAt,
  last_used_at: bundle.lastUsedAt,
})

export const artifactBundleDetailView = ({
  bundle,
  files,
}: ArtifactBundleDetail): ArtifactBundleDetailView => ({
  ...artifactBundleView(bundle),
  files: files.map(({ debugId, mapReference, size, type, url }) => ({
    type,
    url,
    debug_id: debugId,
    source_map: mapReference,
    size,
  })),
})

/** An upload of artifacts as the API shows it. */
import type { ArtifactBundle, ArtifactBundleDetail } from "@errata/core"
import { Schema } from "effect"
import { int, intOrNull, text, textOrNull, time, timeOrNull, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"

const fields = {
  id: int("Id of the upload"),
  project_id: int("Project of the upload"),
  kind: described(
    "`bundle` for an artifact bundle, `release_file` for a single file of a release, or `debug_file`",
    Schema.Literals(["bundle", "release_file", "debug_file"]),
  ),
  state: described(
    "`failed` if the upload could not be read. It then has no files, and `detail` has the reason",
    Schema.Literals(["ok", "failed"]),
  ),
  detail: textOrNull("Reason of the failure, or a warning. Null if there is none"),
  checksum: text("SHA-1 of the upload, in hexadecimal"),
  size: int("Size of the upload in bytes"),
  files_count: int("Number of files in the upload"),
  name: textOrNull("Name of a file that was uploaded alone"),
  note: textOrNull("Note of the uploader, or null"),
  links: described(
    "Releases of the upload. If the release is null, its files are found by debug id only",
    Schema.Array(
      Schema.Struct({
        release: textOrNull("Version of the release, or null"),
        dist: textOrNull("Build of the release. Null for all builds"),
      }),
    ),
  ),
  uploaded_by: intOrNull("Id of the user who uploaded it, or null"),
  created_at: time("Time of the first upload"),
  uploaded_at: time("Time of the last upload. Build tools send the same bundle again"),
  last_used_at: timeOrNull("Time at which a report was last mapped with it. Null before the first"),
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
  created_at: "2026-01-01T08:01:00.000Z",
  uploaded_at: "2026-01-01T08:01:00.000Z",
  last_used_at: "2026-01-05T09:30:00.000Z",
} as const

/** An artifact bundle, as REST shows it. */
export const ArtifactBundleView = Schema.Struct(fields).pipe(named("ArtifactBundle", example))
export type ArtifactBundleView = typeof ArtifactBundleView.Type

const ArtifactFileView = Schema.Struct({
  type: described(
    "Type of the file",
    Schema.Literals(["source", "minified_source", "source_map", "indexed_ram_bundle"]),
  ),
  url: textOrNull("URL of the file, as the uploader gave it"),
  debug_id: textOrNull("Debug id, which a script and its source map share"),
  source_map: textOrNull("For a script: the reference to its source map"),
  size: int("Size of the content in bytes"),
})

/** An artifact bundle with its files, as REST shows it. */
export const ArtifactBundleDetailView = Schema.Struct({
  ...fields,
  files: described("The first 1,000 files, in the order of the bundle", Schema.Array(ArtifactFileView)),
}).pipe(
  named("ArtifactBundleDetail", {
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
  }),
)
export type ArtifactBundleDetailView = typeof ArtifactBundleDetailView.Type

export const artifactBundleView: (bundle: ArtifactBundle) => ArtifactBundleView = viewOf(fields)

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

/** `errata artifacts`: uploads of build tools, including failed ones. */
import type { ArtifactBundleDetailView, ArtifactBundleView } from "@errata/api"
import type { DateTime } from "effect"
import { Command } from "effect/cli"
import { sizeText } from "../Size.js"
import { printable } from "../Table.js"
import { projectCommand } from "./ApiCommand.js"
import { idArgument, pageOptions } from "./ApiOptions.js"
import { fieldLines } from "./Detail.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { absolute, relative } from "./Moments.js"
import { note } from "./Output.js"
import { show } from "./Session.js"
import { type NameOf, userNames } from "./UserReference.js"

const linksOf = ({ links }: ArtifactBundleView): string =>
  links
    .map(({ dist, release }) => (release ?? "by debug id") + (dist === null ? "" : ` (${dist})`))
    .join(", ")

const columns: ReadonlyArray<ListColumn<ArtifactBundleView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "KIND", of: ({ kind }) => kind },
  {
    title: "WHAT",
    flexible: true,
    main: true,
    of: (bundle) =>
      bundle.state === "failed"
        ? `failed: ${bundle.detail}`
        : [bundle.name, linksOf(bundle)].filter(Boolean).join(" of "),
  },
  { title: "FILES", align: "right", omit: 2, of: ({ files_count: count }) => String(count) },
  { title: "SIZE", align: "right", omit: 3, of: ({ size }) => sizeText(size) },
  { title: "UPLOADED", of: ({ uploaded_at: at }, now) => relative(at, now) },
  { title: "USED", omit: 1, of: ({ last_used_at: at }, now) => relative(at, now) },
]

const bundleArgument = idArgument("id", "Id of the upload, as listed")

const list = projectCommand(
  "list",
  "List the uploads of a project, including failed ones",
  pageOptions,
  function* (choice, { client, project }) {
    yield* listing({
      choice,
      columns,
      empty: "No uploads.",
      page: (query) => client.artifacts.list(project, query),
      items: ({ artifact_bundles: bundles }) => bundles,
      stream: (query) => client.artifacts.stream(project, query),
    })
  },
)

const get = projectCommand(
  "get",
  "Show an upload and its files",
  { id: bundleArgument },
  function* (choice, { client, project }) {
    const bundle = yield* client.artifacts.get(project, choice.id)
    const nameOf = choice.json ? String : yield* userNames(client)
    yield* show(choice, bundle, (bundle, now) => bundleLines(bundle, now, nameOf))
  },
)

const remove = projectCommand(
  "delete",
  "Delete an upload. Reports that were mapped with it stay mapped (admin)",
  { id: bundleArgument },
  function* (choice, { client, project }) {
    yield* client.artifacts.remove(project, choice.id)
    yield* note(`Deleted upload ${choice.id}.`)
  },
)

export const artifacts = Command.make("artifacts").pipe(
  Command.withDescription("Manage source maps and other files that build tools uploaded"),
  Command.withSubcommands([list, get, remove]),
)

// internal

const bundleLines = (
  bundle: ArtifactBundleDetailView,
  now: DateTime.DateTime,
  nameOf: NameOf,
): ReadonlyArray<string> => [
  ...fieldLines([
    ["Upload", bundle.id],
    ["Kind", bundle.kind],
    ["State", bundle.state],
    ["Detail", bundle.detail],
    ["Name", bundle.name],
    ["Release", linksOf(bundle)],
    ["Note", bundle.note],
    ["SHA-1", bundle.checksum],
    ["Size", sizeText(bundle.size)],
    ["Uploaded by", bundle.uploaded_by === null ? null : nameOf(bundle.uploaded_by)],
    ["Uploaded", absolute(bundle.uploaded_at, now)],
    ["Used", absolute(bundle.last_used_at, now)],
    ["Files", bundle.files_count],
  ]),
  ...bundle.files.map(
    ({ debug_id: id, size, type, url }) =>
      `  ${type}  ${printable(url ?? "(unnamed)")}  ${sizeText(size)}${id === null ? "" : `  ${id}`}`,
  ),
]

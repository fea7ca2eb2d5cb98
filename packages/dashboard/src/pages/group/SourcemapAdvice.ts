/** Why the frames of a report are not mapped, and how to fix it. */

/** Returns two sentences on a failure code. Codes of later versions are unknown here. */
export const adviceOf = (code: string | null): string =>
  advice[code ?? ""] ?? `The cause is unknown${code === null ? "" : ` (${code})`}.`

// internal

const upload = "Upload the scripts and maps of the build."

const advice: Readonly<Record<string, string>> = {
  no_debug_id_or_release:
    "The event has neither a debug id nor a release. Inject debug ids before the upload, or set `release` in the SDK.",
  artifact_not_uploaded: `No uploaded file belongs to the scripts of this event. ${upload}`,
  no_source_map_reference:
    "The script names no source map. Build with source maps, and upload the map with its script.",
  hosted_not_found: `The server of the script has no map. ${upload}`,
  hosted_fetching_disabled: `Fetching of hosted source maps is disabled. ${upload} Or ask an admin to enable it.`,
  origin_not_authorized: `The origin of the script is not authorized. ${upload} Or authorize the origin in the project's settings.`,
  insecure_url: `The address of the script is not HTTPS, so it is not fetched. ${upload}`,
  address_not_public: `The address of the script is not public, so it is not fetched. ${upload}`,
  source_map_malformed: "The source map is not valid. Check the build that made it.",
  source_map_too_large: "The source map is too large. Split the script into smaller ones.",
  not_a_source_map: "The file is not a source map. Check the build, or the server of the script.",
  position_not_mapped:
    "The source map has no entry for the position of a frame. Check whether it belongs to another build.",
  hosted_http_error: `The server of the script responded with an error. ${upload}`,
  hosted_timeout: `The server of the script did not respond in time. ${upload}`,
  hosted_unreachable: `The server of the script cannot be reached. ${upload}`,
  hosted_redirect: `The server of the script redirects too often, or without an address. ${upload}`,
  limit_exceeded: "The report has too many scripts, or a map is too expensive to read. Use smaller maps.",
  artifact_missing: "The store has lost an uploaded file. Upload it again.",
  storage_unavailable: "The store of uploaded files did not respond. Errata tries again.",
  reading_budget_used:
    "The maps of this project took more time than one project may use. Errata tries again.",
  internal: "Errata failed to map the report. The log of the server has the cause.",
}

/** Describes a run of retention. */
import type { RetentionRun } from "@errata/api/promise"
import { bytes, counted } from "../../text/Numbers.js"

/** The data that a kind of retention deletes. */
export const dataOf = (kind: RetentionRun["kind"]): string => (kind === "errors" ? "reports" : "uploads")

/** Returns kind and trigger of the run, e.g. `Reports, nightly`. */
export const subjectOf = ({ kind, trigger }: Pick<RetentionRun, "kind" | "trigger">): string =>
  `${kind === "errors" ? "Reports" : "Uploads"}, ${triggers[trigger]}`

/** Returns the result of the run in one or two sentences. */
export const outcomeOf = (run: RetentionRun): string => {
  if (run.state === "waiting") return "It starts within seconds."
  const deleted = [
    run.reports_purged > 0 ? counted(run.reports_purged, "report") : null,
    run.groups_purged > 0 ? counted(run.groups_purged, "group") : null,
    run.artifact_bundles_purged > 0 ? counted(run.artifact_bundles_purged, "upload") : null,
  ].filter((part) => part !== null)
  return [
    run.failure === null ? null : `The run failed: ${run.failure}.`,
    deleted.length === 0
      ? run.state === "running"
        ? "Nothing is deleted so far."
        : "Nothing was deleted."
      : `Deleted ${deleted.join(", ")}.`,
    run.bytes_returned > 0 ? `${bytes(run.bytes_returned)} are free again.` : null,
    run.partitions_postponed > 0 ? "Some data was in use. A later run deletes it." : null,
    run.within_disk_limit === false ? "The limit by size is still exceeded." : null,
  ]
    .filter((part) => part !== null)
    .join(" ")
}

// internal

const triggers = { nightly: "nightly", requested: "on request", retry: "retried" }

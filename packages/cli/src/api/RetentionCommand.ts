/** `errata retention`: starts and lists retention runs. */
import type { RetentionRunView } from "@errata/api"
import { type DateTime, Effect } from "effect"
import { Command } from "effect/cli"
import { CommandFailed } from "../ErrorOutput.js"
import { megabytes } from "../Size.js"
import { toggle } from "../Toggle.js"
import { apiCommand } from "./ApiCommand.js"
import { pageOptions } from "./ApiOptions.js"
import { fieldLines, yesNo } from "./Detail.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { absolute, relative } from "./Moments.js"
import { note } from "./Output.js"
import { type Client, show } from "./Session.js"

const columns: ReadonlyArray<ListColumn<RetentionRunView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "WHAT", of: ({ kind }) => kind },
  { title: "WHY", of: ({ trigger }) => trigger },
  {
    title: "STATE",
    flexible: true,
    main: true,
    of: ({ failure, state }) => (failure === null ? state : `${state}: ${failure}`),
  },
  { title: "STARTED", of: ({ created_at, started_at }, now) => relative(started_at ?? created_at, now) },
  { title: "MODE", omit: 1, of: ({ time_purge_type: mode }) => mode ?? "" },
  { title: "REPORTS", align: "right", omit: 4, of: ({ reports_purged: count }) => String(count) },
  { title: "GROUPS", align: "right", omit: 3, of: ({ groups_purged: count }) => String(count) },
  { title: "UPLOADS", align: "right", omit: 2, of: ({ artifact_bundles_purged: count }) => String(count) },
  { title: "RETURNED", align: "right", omit: 5, of: ({ bytes_returned: bytes }) => megabytes(bytes) },
]

const list = apiCommand(
  "list",
  "List the retention runs (admin)",
  pageOptions,
  function* (choice, { client }) {
    yield* listing({
      choice,
      columns,
      empty: "Retention has not run yet.",
      page: (query) => client.retention.list(query),
      items: ({ runs }) => runs,
      stream: (query) => client.retention.stream(query),
    })
  },
)

const run = apiCommand(
  "run",
  "Start a retention run, which deletes old data by the policy error-retention (admin)",
  {
    artifacts: toggle(
      "artifacts",
      "Delete uploaded artifacts by the policy artifact-retention, instead of errors",
    ),
    noWait: toggle("no-wait", "Return without waiting for the end of the run"),
  },
  function* (choice, { client }) {
    const asked = yield* client.retention.run(choice.artifacts ? { kind: "artifacts" } : {})
    if (choice.noWait) return yield* show(choice, asked, runLines)
    if (asked.state === "waiting") yield* note(`Run ${asked.id} waits for a worker.`)
    const done = yield* awaitEnd(client, asked)
    yield* show(choice, done, runLines)
    if (done.failure !== null) {
      return yield* new CommandFailed({ message: `Run ${done.id} failed: ${done.failure}` })
    }
  },
)

export const retention = Command.make("retention").pipe(
  Command.withDescription("Start and inspect retention runs"),
  Command.withSubcommands([run, list]),
)

// internal

const awaitEnd = (client: Client, run: RetentionRunView) =>
  run.finished_at !== null
    ? Effect.succeed(run)
    : client.retention
        .get(run.id)
        .pipe(Effect.delay("500 millis"), Effect.repeat({ until: ({ finished_at: end }) => end !== null }))

const runLines = (run: RetentionRunView, now: DateTime.DateTime): ReadonlyArray<string> =>
  fieldLines([
    ["Run", run.id],
    ["Removes", run.kind],
    ["State", run.state],
    ["Requested", absolute(run.created_at, now)],
    ["Mode", run.time_purge_type],
    ["Older than", absolute(run.purged_before, now)],
    ["Reports removed", run.reports_purged],
    ["Groups removed", run.groups_purged],
    ["Uploads removed", run.artifact_bundles_purged],
    ["Partitions removed", run.partitions_purged],
    [
      "Partitions in use",
      run.partitions_postponed === 0 ? null : `${run.partitions_postponed}, retried in an hour`,
    ],
    ["Returned", megabytes(run.bytes_returned)],
    ["Before", run.bytes_before === null ? null : megabytes(run.bytes_before)],
    ["After", run.bytes_after === null ? null : megabytes(run.bytes_after)],
    ["Within disk limit", run.within_disk_limit === null ? null : yesNo(run.within_disk_limit)],
    ["Failure", run.failure],
  ])

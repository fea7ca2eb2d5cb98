import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import type { GroupId } from "../group/Group.js"
import { existing } from "../group/GroupNotFound.js"
import { GroupStore } from "../group/GroupStore.js"
import { PayloadDecoder } from "../payload/PayloadDecoder.js"
import { bodyProblemText, type ReportId } from "../report/Report.js"
import * as ReportEvent from "../report/ReportEvent.js"
import { ReportStore } from "../report/ReportStore.js"
import { ReportNotFound } from "../report/Reports.js"
import { isJavaScript } from "../sourcemap/EventScripts.js"
import { FrameMapper } from "../sourcemap/FrameMapper.js"
import { StorageError } from "../storage/StorageError.js"
import * as Transactions from "../storage/Transactions.js"
import { type ReportPlace, SourcemapReportStore, type SourcemapState } from "./SourcemapReportStore.js"

/** The public diagnostics of a report. */
const diagnostics = {
  status: Schema.String as Schema.Schema<SourcemapState["status"]>,
  failureCode: Schema.NullOr(Schema.String),
  attemptedAt: Schema.NullOr(Schema.DateTimeUtc),
}

/** The report is not from JavaScript. */
export class NotJavaScript extends Schema.TaggedError<NotJavaScript>()("NotJavaScript", diagnostics) {}

/** The report has no uploaded map, and none may be fetched for it. */
export class NoSourceMapAvailable extends Schema.TaggedError<NoSourceMapAvailable>()("NoSourceMapAvailable", {
  ...diagnostics,
  /** True if an origin of its scripts is authorized, and fetching is disabled. */
  isFetchingDisabled: Schema.Boolean,
}) {}

/** The storage is unavailable. A later attempt may succeed. */
export class RetryNotQueued extends Schema.TaggedError<RetryNotQueued>()("RetryNotQueued", {
  ...diagnostics,
  cause: Schema.instanceOf(StorageError),
}) {}

/** The result of another attempt to map a report. */
export interface SourcemapRetry extends SourcemapState {
  readonly result: "resolved" | "in_progress" | "queued"
  readonly reportId: ReportId
}

/** Queues reports to be mapped again. */
export class SourcemapRetries extends Context.Service<SourcemapRetries>()(
  "@errata/core/mapping/SourcemapRetries",
  {
    make: Effect.gen(function* () {
      const transaction = yield* Transactions.make
      const store = yield* SourcemapReportStore
      const reports = yield* ReportStore
      const groups = yield* GroupStore
      const decoder = yield* PayloadDecoder
      const mapper = yield* FrameMapper

      /** Queues the report unless it is queued already. */
      const queue = (place: ReportPlace) =>
        transaction(
          Effect.gen(function* () {
            const state = yield* store.lock(place)
            if (Option.isNone(state)) return yield* new ReportNotFound({ report: String(place.reportId) })
            const done = settled(place.reportId, state.value)
            if (done !== null) return done
            yield* store.queue(place, yield* DateTime.now)
            return {
              result: "queued",
              reportId: place.reportId,
              status: "queued",
              failureCode: null,
              attemptedAt: state.value.attemptedAt,
            } satisfies SourcemapRetry
          }),
        )

      const retry = Effect.fn("SourcemapRetries.retry")(function* (
        { project }: AuthorizedProject<"project.administer">,
        groupId: GroupId,
        reportId: ReportId,
      ) {
        const { id } = yield* existing(yield* groups.find(project.id, groupId), groupId)
        const found = yield* reports.find(project.id, id, reportId)
        if (Option.isNone(found)) return yield* new ReportNotFound({ report: String(reportId) })
        const report = found.value
        const state: SourcemapState = {
          status: report.sourcemapStatus,
          failureCode: report.sourcemapFailureCode,
          attemptedAt: report.sourcemapAttemptedAt,
        }
        const done = settled(reportId, state)
        if (done !== null) return done
        if (report.unreadable === "unreachable") {
          const cause = new StorageError({
            operation: "ReportStore.find",
            reason: "unavailable",
            cause: new Error(bodyProblemText.unreachable),
          })
          return yield* new RetryNotQueued({ ...state, cause })
        }
        const event = ReportEvent.find(decoder, report)
        // The platform is still known after retention removed the event.
        const isOfJavaScript =
          event === null
            ? report.platform === "javascript" || report.platform === "node"
            : isJavaScript(event)
        if (!isOfJavaScript) return yield* new NotJavaScript(state)
        return yield* Effect.gen(function* () {
          const answer = event === null ? null : yield* mapper.mayHelp({ projectId: project.id, event })
          if (answer !== "may_help") {
            const isFetchingDisabled = answer === "hosted_fetching_disabled"
            return yield* new NoSourceMapAvailable({ ...state, isFetchingDisabled })
          }
          return yield* queue({ projectId: project.id, reportId })
        }).pipe(Effect.catchTag("StorageError", (cause) => new RetryNotQueued({ ...state, cause })))
      })

      return { retry }
    }),
  },
) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** Null if the report has to be queued. */
const settled = (reportId: ReportId, state: SourcemapState): SourcemapRetry | null => {
  if (state.status === "resolved") return { result: "resolved", reportId, ...state }
  if (state.status === "queued" || state.status === "fetching") {
    return { result: "in_progress", reportId, ...state }
  }
  return null
}

/** The group of a notification, with what its newest report adds. */
import { Effect, Option } from "effect"
import type { EventDetails, Frame } from "../event/ErrorEvent.js"
import { groupUrl, WebAddress } from "../group/WebUrl.js"
import type { NotifiedFrame, NotifiedGroup } from "../notification/Notification.js"
import { PayloadDecoder } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import * as ReportEvent from "../report/ReportEvent.js"
import { ReportStore } from "../report/ReportStore.js"
import * as ResolvedFrames from "../sourcemap/ResolvedFrames.js"
import type { MatchedGroup } from "./AlertMatch.js"

/** A group without what its newest report adds. */
export const brief = Effect.fnUntraced(function* (projectId: ProjectId, group: MatchedGroup) {
  const address = yield* WebAddress
  return {
    id: group.id,
    errorType: group.errorType,
    errorMessage: group.errorMessage.slice(0, maxMessageLength),
    culprit: group.culprit,
    severity: group.severity,
    reportsCount: group.reportsCount,
    usersCount: group.usersCount,
    firstOccurredAt: group.firstOccurredAt,
    lastOccurredAt: group.lastOccurredAt,
    environment: "",
    release: "",
    frames: [],
    url: groupUrl(address, { id: group.id, projectId }),
  } satisfies NotifiedGroup
})

/** Reads the newest report of a group, and adds its environment, release and frames. */
export const ofGroup = Effect.fnUntraced(function* (projectId: ProjectId, group: MatchedGroup) {
  const reports = yield* ReportStore
  const { items } = yield* reports.list(projectId, group.id, anyTime, { limit: 1, cursor: null })
  const newest = items[0]
  const details = newest === undefined ? null : yield* detailsOf(projectId, newest.groupId, newest.id)
  return {
    ...(yield* brief(projectId, group)),
    environment: newest?.environment ?? "",
    release: newest?.releaseVersion ?? "",
    frames: details === null ? [] : framesOf(details),
  } satisfies NotifiedGroup
})

// internal

const anyTime = { since: null, until: null }

const maxMessageLength = 2_000
const maxFrames = 5
const maxFrameText = 200

const detailsOf = Effect.fnUntraced(function* (
  projectId: ProjectId,
  groupId: MatchedGroup["id"],
  reportId: Parameters<ReportStore["Service"]["find"]>[2],
) {
  const reports = yield* ReportStore
  const decoder = yield* PayloadDecoder
  const found = Option.getOrNull(yield* reports.find(projectId, groupId, reportId))
  if (found === null) return null
  const details = ReportEvent.find(decoder, found)?.details ?? null
  return details === null || found.frames === null ? details : ResolvedFrames.overlay(details, found.frames)
})

/** The application's own frames of the last exception, or all its frames if no SDK marked any as its own. */
const framesOf = ({ exceptions }: EventDetails): ReadonlyArray<NotifiedFrame> => {
  const frames = exceptions.at(-1)?.frames ?? []
  const own = frames.filter((frame) => frame.in_app === true)
  return (own.length > 0 ? own : frames).slice(-maxFrames).reverse().map(toFrame)
}

const toFrame = (frame: Frame): NotifiedFrame => ({
  function: (frame.function ?? "").slice(0, maxFrameText),
  file: (frame.filename ?? frame.module ?? frame.abs_path ?? "").slice(0, maxFrameText),
  line: frame.lineno ?? null,
})

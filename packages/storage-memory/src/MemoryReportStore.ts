import type { ProjectId, ReportId, ReportRelease, ReportSummary } from "@errata/core"
import {
  type Payload,
  type PayloadPlace,
  type ReportStore,
  type StoredReport,
  TagList,
} from "@errata/core/ports"
import { DateTime, Option } from "effect"
import { isAmong } from "./internal/LiveProjects.js"
import { pageOf } from "./internal/Pages.js"
import { seenRelease } from "./internal/Releases.js"
import { type ReportRow, toSummary } from "./internal/ReportRow.js"
import { keyOf, type State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"
import { idsInTree, isPartOf, rootOf, treeOf } from "./internal/Tree.js"

export const make = (state: State): ReportStore["Service"] => {
  const releaseOf = (
    transaction: Transaction,
    projectId: ProjectId,
    version: string,
    receivedAt: number,
    now: DateTime.Utc,
  ): ReportRelease | null => {
    if (version === "") return null
    const { id } = seenRelease(state, transaction, projectId, version, DateTime.makeUnsafe(receivedAt), now)
    return { id, version }
  }

  const payloadAt = (reader: Reader, { position, segmentId }: PayloadPlace): Payload | null =>
    state.segments.get(reader, segmentId)?.[position] ?? null

  /** Shows a report under the root of its group. */
  const read = (reader: Reader, row: ReportRow): ReportSummary => ({
    ...toSummary(row),
    groupId: rootOf(state, reader, row.groupId),
  })

  const toReport = (reader: Reader, row: ReportRow): StoredReport => {
    const payload = row.place === null ? null : payloadAt(reader, row.place)
    return {
      ...read(reader, row),
      release: row.release,
      payload,
      frames: row.resolution.frames,
      isPurged: row.place !== null && payload === null,
      unreadable: null,
      attachments: (state.attachments.get(reader, row.id) ?? []).map(
        ({ index: _, place: __, ...summary }) => summary,
      ),
    }
  }

  const findByEvent = (reader: Reader, projectId: ProjectId, eventId: string): ReportRow | undefined => {
    const id = state.reportByEvent.get(reader, keyOf(projectId, eventId))
    return id === undefined ? undefined : state.reports.get(reader, id)
  }

  return {
    insert: (reports, now) =>
      state.write((transaction) =>
        reports.map(({ event, groupId, place, projectId, receivedAt, resolution, tags, title }) => {
          const key = keyOf(projectId, event.eventId)
          if (state.reportByEvent.has(transaction, key)) return null
          const id = state.nextId("report") as ReportId
          const release = releaseOf(transaction, projectId, event.release, receivedAt, now)
          state.reports.set(transaction, id, {
            id,
            projectId,
            groupId,
            event: { ...event, tags: TagList.decode(tags) },
            place,
            title,
            release,
            resolution,
            attemptedAt: resolution.status === "unprocessed" ? null : now,
            createdAt: now,
            updatedAt: now,
          })
          if (resolution.status === "queued") {
            state.sourcemapQueue.set(transaction, id, {
              projectId,
              reportId: id,
              turn: id,
              leases: 0,
              leasedUntil: 0,
              postponed: 0,
              dueAt: 0,
            })
          }
          state.reportByEvent.set(transaction, key, id)
          state.reportIds.of(groupId).add(transaction, id)
          return id
        }),
      ),

    addAttachments: (attachments) =>
      state.write((transaction) => {
        for (const { projectId: _, reportId, ...attachment } of attachments) {
          const id = state.nextId("attachment")
          state.attachments.set(transaction, reportId, [
            ...(state.attachments.get(transaction, reportId) ?? []),
            { id, ...attachment },
          ])
        }
      }),

    findAttachment: (projectId, reportId, id) =>
      state.read((reader) => {
        if (state.reports.get(reader, reportId)?.projectId !== projectId) return Option.none()
        const found = state.attachments.get(reader, reportId)?.find((attachment) => attachment.id === id)
        const payload = found === undefined ? null : payloadAt(reader, found.place)
        return found === undefined || payload === null
          ? Option.none()
          : Option.some({ payload, index: found.index })
      }),

    list: (projectId, groupId, { since, until }, page) =>
      state.read((reader) => {
        const after = since?.epochMilliseconds ?? Number.NEGATIVE_INFINITY
        const before = until?.epochMilliseconds ?? Number.POSITIVE_INFINITY
        const ids = idsInTree(state, reader, state.reportIds, groupId, page.cursor)
        return pageOf(ids, page, (id) => {
          const row = state.reports.get(reader, id)
          if (row === undefined || row.projectId !== projectId) return undefined
          const { occurredAt } = row.event
          return occurredAt > after && occurredAt < before ? read(reader, row) : undefined
        })
      }),

    latest: (projectId, groupIds) =>
      state.read((reader) =>
        groupIds.flatMap((groupId) => {
          const id = first(idsInTree(state, reader, state.reportIds, groupId, null))
          const row = id === null ? undefined : state.reports.get(reader, id)
          if (row?.projectId !== projectId || rootOf(state, reader, groupId) !== groupId) return []
          const { environment, release } = row.event
          return [{ groupId, environment, releaseVersion: release }]
        }),
      ),

    find: (projectId, groupId, id) =>
      state.read((reader) => {
        const row = state.reports.get(reader, id)
        return row === undefined ||
          row.projectId !== projectId ||
          !isPartOf(state, reader, row.groupId, groupId)
          ? Option.none()
          : Option.some(toReport(reader, row))
      }),

    navigate: (projectId, groupId, id) =>
      state.read((reader) => {
        const group = state.groups.get(reader, groupId)
        if (group?.projectId !== projectId || group.mergedIntoId !== null) return nowhere
        const below = (before: number | null) =>
          first(idsInTree(state, reader, state.reportIds, groupId, before)) as ReportId | null
        const above = (after: number) =>
          treeOf(state, reader, groupId)
            .map((own) => first(state.reportIds.get(own)?.ascending(reader, after) ?? []))
            .reduce<number | null>((low, id) => (low === null || (id !== null && id < low) ? id : low), null)
        return {
          firstId: above(0) as ReportId | null,
          previousId: below(id),
          nextId: above(id) as ReportId | null,
          lastId: below(null),
        }
      }),

    projectsOfEvent: (eventId, projectIds) =>
      state.read((reader) =>
        (projectIds ?? [...state.projects.entries(reader)].map(([id]) => id))
          .map((id) => findByEvent(reader, id as ProjectId, eventId))
          .filter((row) => row !== undefined)
          .filter(({ projectId }) => isAmong(state, reader, projectId, projectIds))
          .sort((a, b) => b.id - a.id)
          .map(({ projectId }) => projectId),
      ),

    locate: (events) =>
      state.read((reader) =>
        events.map(({ eventId, projectId }) => {
          const row = findByEvent(reader, projectId, eventId)
          return row === undefined ? null : { reportId: row.id, groupId: row.groupId }
        }),
      ),

    place: (id, projectIds) =>
      state.read((reader) => {
        const row = state.reports.get(reader, id)
        return row === undefined || !isAmong(state, reader, row.projectId, projectIds)
          ? Option.none()
          : Option.some({ projectId: row.projectId, groupId: rootOf(state, reader, row.groupId) })
      }),

    findByEventId: (projectId, eventId) =>
      state.read((reader) =>
        Option.map(Option.fromNullishOr(findByEvent(reader, projectId, eventId)), (row) =>
          toReport(reader, row),
        ),
      ),
  }
}

const nowhere = { firstId: null, previousId: null, nextId: null, lastId: null }

const first = (ids: Iterable<number>): number | null => {
  for (const id of ids) return id
  return null
}

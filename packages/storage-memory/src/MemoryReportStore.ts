import type { EventDetails, ProjectId, Release, Report, ReportId, ReportStore } from "@errata/core"
import { Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import { type ReportRow, toSummary } from "./internal/ReportRow.js"
import { keyOf, type State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): ReportStore["Type"] => {
  const releaseOf = (transaction: Transaction, projectId: ProjectId, version: string): Release | null => {
    if (version === "") return null
    const key = keyOf(projectId, version)
    const known = state.releases.get(transaction, key)
    if (known !== undefined) return known
    const release = { id: state.nextId("release"), version }
    state.releases.set(transaction, key, release)
    return release
  }

  const toReport = (reader: Reader, row: ReportRow): Report => ({
    ...toSummary(row),
    release: row.release,
    details: JSON.parse(new TextDecoder().decode(row.details)) as EventDetails,
    attachments: (state.attachments.get(reader, row.id) ?? []).map(({ body: _, ...summary }) => summary),
  })

  const findByEvent = (reader: Reader, projectId: ProjectId, eventId: string): ReportRow | undefined => {
    const id = state.reportByEvent.get(reader, keyOf(projectId, eventId))
    return id === undefined ? undefined : state.reports.get(reader, id)
  }

  return {
    insert: (reports, now) =>
      state.write((transaction) =>
        reports.map(({ details, event, groupId, projectId, title }) => {
          const key = keyOf(projectId, event.eventId)
          if (state.reportByEvent.has(transaction, key)) return null
          const id = state.nextId("report") as ReportId
          const release = releaseOf(transaction, projectId, event.release)
          state.reports.set(transaction, id, {
            id,
            projectId,
            groupId,
            event,
            // The bytes are lent.
            details: details.slice(),
            title,
            release,
            createdAt: now,
          })
          state.reportByEvent.set(transaction, key, id)
          state.reportIds.of(groupId).add(transaction, id)
          return id
        }),
      ),

    addAttachments: (attachments) =>
      state.write((transaction) => {
        for (const { body, contentType, filename, reportId, type } of attachments) {
          const id = state.nextId("attachment")
          state.attachments.set(transaction, reportId, [
            ...(state.attachments.get(transaction, reportId) ?? []),
            { id, filename, contentType, type, size: body.byteLength, body },
          ])
        }
      }),

    attachmentBody: (projectId, reportId, id) =>
      state.read((reader) =>
        Option.fromNullable(
          state.reports.get(reader, reportId)?.projectId === projectId
            ? state.attachments.get(reader, reportId)?.find((attachment) => attachment.id === id)?.body
            : null,
        ),
      ),

    list: (projectId, groupId, { since, until }, page) =>
      state.read((reader) => {
        const after = since?.epochMillis ?? Number.NEGATIVE_INFINITY
        const before = until?.epochMillis ?? Number.POSITIVE_INFINITY
        const ids = state.reportIds.get(groupId)?.descending(reader, page.cursor) ?? []
        return pageOf(ids, page, (id) => {
          const row = state.reports.get(reader, id)
          if (row === undefined || row.projectId !== projectId) return undefined
          const { occurredAt } = row.event
          return occurredAt > after && occurredAt < before ? toSummary(row) : undefined
        })
      }),

    find: (projectId, groupId, id) =>
      state.read((reader) => {
        const row = state.reports.get(reader, id)
        return row === undefined || row.projectId !== projectId || row.groupId !== groupId
          ? Option.none()
          : Option.some(toReport(reader, row))
      }),

    locate: (events) =>
      state.read((reader) =>
        events.map(({ eventId, projectId }) => {
          const row = findByEvent(reader, projectId, eventId)
          return row === undefined ? null : { reportId: row.id, groupId: row.groupId }
        }),
      ),

    findByEventId: (projectId, eventId) =>
      state.read((reader) =>
        Option.map(Option.fromNullable(findByEvent(reader, projectId, eventId)), (row) =>
          toReport(reader, row),
        ),
      ),
  }
}

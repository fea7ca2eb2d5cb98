import type { EventId, SourcemapStatus } from "@errata/core"
import type { LeasedReport, ReportPlace, SourcemapReportStore, UploadedNames } from "@errata/core/ports"
import { DateTime, Duration, Option } from "effect"
import type { ReportRow } from "./internal/ReportRow.js"
import type { SourcemapQueueRow, State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): SourcemapReportStore["Service"] => {
  const reportAt = (reader: Reader, { projectId, reportId }: ReportPlace): ReportRow | undefined => {
    const row = state.reports.get(reader, reportId)
    return row?.projectId === projectId ? row : undefined
  }

  const show = (transaction: Transaction, report: ReportPlace, status: SourcemapStatus, now: number) => {
    const row = reportAt(transaction, report)
    if (row === undefined) return
    state.reports.set(transaction, row.id, {
      ...row,
      resolution: { ...row.resolution, status, failureCode: null },
      updatedAt: DateTime.makeUnsafe(now),
    })
  }

  /** The row of a report if this lease still holds it. */
  const held = (reader: Reader, { leases, reportId }: LeasedReport): SourcemapQueueRow | undefined => {
    const row = state.sourcemapQueue.get(reader, reportId)
    return row !== undefined && row.leases === leases && row.leasedUntil > 0 ? row : undefined
  }

  const giveBack = (transaction: Transaction, row: SourcemapQueueRow, now: number) => {
    state.sourcemapQueue.set(transaction, row.reportId, { ...row, leases: row.leases - 1, leasedUntil: 0 })
    show(transaction, row, "queued", now)
  }

  return {
    lease: ({ duration, limit, perProject }) =>
      state.write((transaction, now) => {
        const heldOf = new Map<number, number>()
        const due: Array<SourcemapQueueRow> = []
        for (const [, row] of state.sourcemapQueue.entries(transaction)) {
          if (row.leasedUntil > now) heldOf.set(row.projectId, (heldOf.get(row.projectId) ?? 0) + 1)
          else if (row.dueAt <= now && !state.deletedProjects.has(transaction, row.projectId)) due.push(row)
        }
        due.sort((a, b) => a.turn - b.turn)
        const placeOf = new Map<number, number>()
        const candidates = due.flatMap((row) => {
          const place = (placeOf.get(row.projectId) ?? 0) + 1
          placeOf.set(row.projectId, place)
          return place + (heldOf.get(row.projectId) ?? 0) > perProject ? [] : [{ row, place }]
        })
        candidates.sort((a, b) => a.place - b.place || a.row.turn - b.row.turn)
        return candidates.slice(0, limit).map(({ row }): LeasedReport => {
          const leases = row.leases + 1
          const leasedUntil = now + Duration.toMillis(duration)
          state.sourcemapQueue.set(transaction, row.reportId, { ...row, leases, leasedUntil })
          show(transaction, row, "fetching", now)
          const { postponed, projectId, reportId } = row
          return { projectId, reportId, leases, postponed }
        })
      }),

    release: (reports) =>
      state.write((transaction, now) => {
        for (const report of reports) {
          const row = held(transaction, report)
          if (row !== undefined) giveBack(transaction, row, now)
        }
      }),

    renew: (reports, duration) =>
      state.write((transaction, now) => {
        const leasedUntil = now + Duration.toMillis(duration)
        for (const report of reports) {
          const row = held(transaction, report)
          if (row !== undefined) state.sourcemapQueue.set(transaction, row.reportId, { ...row, leasedUntil })
        }
      }),

    postpone: (report, pause) =>
      state.write((transaction, now) => {
        const row = held(transaction, report)
        if (row === undefined) return
        const dueAt = now + Duration.toMillis(pause)
        giveBack(transaction, { ...row, postponed: row.postponed + 1, dueAt }, now)
      }),

    find: (report) =>
      state.read((reader) =>
        Option.map(Option.fromNullishOr(reportAt(reader, report)), ({ event, groupId, place }) => ({
          groupId,
          eventId: event.eventId as EventId,
          payload:
            place === null ? null : (state.segments.get(reader, place.segmentId)?.[place.position] ?? null),
        })),
      ),

    settle: (report, { culprit, resolution }, now) =>
      state.write((transaction) => {
        if (held(transaction, report) === undefined) return false
        state.sourcemapQueue.delete(transaction, report.reportId)
        const row = reportAt(transaction, report)
        if (row === undefined) return true
        state.reports.set(transaction, row.id, {
          ...row,
          title: culprit === null ? row.title : { ...row.title, culprit },
          resolution: { ...resolution, frames: resolution.frames ?? row.resolution.frames },
          attemptedAt: now,
          updatedAt: now,
        })
        return true
      }),

    lock: (report) =>
      state.read((reader) =>
        Option.map(Option.fromNullishOr(reportAt(reader, report)), ({ attemptedAt, resolution }) => ({
          status: resolution.status,
          failureCode: resolution.failureCode,
          attemptedAt,
        })),
      ),

    queue: (report, now) =>
      state.write((transaction) => {
        if (reportAt(transaction, report) === undefined) return
        show(transaction, report, "queued", now.epochMilliseconds)
        state.sourcemapQueue.set(transaction, report.reportId, newRow(report, report.reportId))
      }),

    requeue: (projectId, uploaded, { limit, maxAge }, now) =>
      state.write((transaction) => {
        const since = now.epochMilliseconds - Duration.toMillis(maxAge)
        let found: Array<ReportRow> = []
        for (const [, row] of state.reports.entries(transaction)) {
          if (row.projectId !== projectId || row.createdAt.epochMilliseconds <= since) continue
          if (uploaded === "latest" || mayHelp(row, uploaded)) found.push(row)
        }
        found.sort((a, b) => b.id - a.id)
        found = found.slice(0, limit)
        const some = uploaded === "latest" ? found.filter(isUnmapped) : found
        for (const row of some) {
          const report = { projectId, reportId: row.id }
          show(transaction, report, "queued", now.epochMilliseconds)
          state.sourcemapQueue.set(transaction, row.id, newRow(report, Number.MAX_SAFE_INTEGER - row.id))
        }
        return some.length
      }),
  }
}

// internal

const isUnmapped = ({ resolution: { status } }: ReportRow): boolean =>
  status === "not_found" || status === "failed" || status === "blocked"

const mayHelp = (row: ReportRow, { debugIds, release }: UploadedNames): boolean => {
  if (!isUnmapped(row)) {
    return (
      row.resolution.status === "resolved" && row.resolution.wantedIds.some((id) => debugIds.includes(id))
    )
  }
  if (release !== null && row.event.release === release) return true
  return row.resolution.wantedIds.some((id) => debugIds.includes(id))
}

const newRow = (report: ReportPlace, turn: number): SourcemapQueueRow => ({
  ...report,
  turn,
  leases: 0,
  leasedUntil: 0,
  postponed: 0,
  dueAt: 0,
})

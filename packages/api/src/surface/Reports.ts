import type { Body, Query } from "../internal/Contract.js"

const pathOf = (projectId: number, groupId: number) => ({ project_id: projectId, group_id: groupId })

/** The reports of a project, by group or by event. */
export const reports = {
  /** The reports of a group, newest first. */
  list: (projectId: number, groupId: number, query?: Query<"reports", "list">) => ({
    path: pathOf(projectId, groupId),
    urlParams: query ?? {},
  }),
  /** A report with everything that came with it. */
  get: (projectId: number, groupId: number, reportId: number, query?: Query<"reports", "get">) => ({
    path: { ...pathOf(projectId, groupId), report_id: reportId },
    urlParams: query ?? {},
  }),
  /** The newest report of a group. */
  latest: (projectId: number, groupId: number, query?: Query<"reports", "latest">) => ({
    path: pathOf(projectId, groupId),
    urlParams: query ?? {},
  }),
  /** What is in an attachment of a report. */
  getAttachment: (projectId: number, groupId: number, reportId: number, attachmentId: number) => ({
    path: { ...pathOf(projectId, groupId), report_id: reportId, attachment_id: attachmentId },
  }),
  /** Has the frames of a report mapped once more; for admins. */
  retrySourcemaps: (projectId: number, groupId: number, reportId: number) => ({
    path: { ...pathOf(projectId, groupId), report_id: reportId },
  }),
  /** Finds a report by the id of its event, in any case, with or without dashes. */
  findByEventId: (projectId: number, eventId: string, query?: Query<"reports", "findByEventId">) => ({
    path: { project_id: projectId, event_id: eventId },
    urlParams: query ?? {},
  }),
  /** Finds a report by the id of its event in all projects of the caller: the latest one. */
  findAnywhere: (eventId: string, query?: Query<"reports", "findAnywhere">) => ({
    path: { event_id: eventId },
    urlParams: query ?? {},
  }),
}

/** What people, and Errata itself, wrote on a group. */
export const notes = {
  /** The notes on a group, newest first. */
  list: (projectId: number, groupId: number, query?: Query<"notes", "list">) => ({
    path: pathOf(projectId, groupId),
    urlParams: query ?? {},
  }),
  create: (projectId: number, groupId: number, note: Body<"notes", "create">) => ({
    path: pathOf(projectId, groupId),
    payload: note,
  }),
  /** Deletes a note; for its author and for admins. */
  remove: (projectId: number, groupId: number, noteId: number) => ({
    path: { ...pathOf(projectId, groupId), note_id: noteId },
  }),
}

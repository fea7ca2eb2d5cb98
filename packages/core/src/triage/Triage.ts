/**
 * Serves callers that know only the id of a group, report or note, such as coding tools. It searches the projects
 * that the caller can see, and changes a group and adds its note in one transaction. Missing and invisible objects
 * fail alike; if a rule denies access to a visible project, it fails with `AccessDenied`.
 */
import { Array, Context, Effect, Layer, Option, Schema } from "effect"
import { AccessPolicy, type AuthorizedProject, type Known } from "../access/AccessPolicy.js"
import type { ProjectRule } from "../access/AccessRules.js"
import { CurrentActor } from "../access/Actor.js"
import { GroupId } from "../group/Group.js"
import * as GroupFilter from "../group/GroupFilter.js"
import { GroupStore } from "../group/GroupStore.js"
import { Groups } from "../group/Groups.js"
import { NoteId } from "../note/Note.js"
import { NoteStore } from "../note/NoteStore.js"
import { Notes } from "../note/Notes.js"
import { ProjectId } from "../project/Project.js"
import { parseEventId, type Report, ReportId } from "../report/Report.js"
import { ReportStore } from "../report/ReportStore.js"
import { Reports } from "../report/Reports.js"
import * as Transactions from "../storage/Transactions.js"

/** The object does not exist, or the caller may not see it. */
export class NotAccessible extends Schema.TaggedError<NotAccessible>()("NotAccessible", {
  what: Schema.Literals(["project", "group", "report", "note"]),
  /** The requested id. */
  id: Schema.Number,
}) {}

export type GroupsRule = Extract<ProjectRule, "groups.read" | "groups.change">

/** Groups of one project. */
export interface AccessibleGroups<Rule extends ProjectRule> {
  readonly project: AuthorizedProject<Rule>
  readonly groupIds: ReadonlyArray<GroupId>
}

/** Finds groups and reports by id, and changes groups together with a note. */
export class Triage extends Context.Service<Triage>()("@errata/core/triage/Triage", {
  make: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const transaction = yield* Transactions.make
    const groupStore = yield* GroupStore
    const reportStore = yield* ReportStore
    const noteStore = yield* NoteStore
    const notes = yield* Notes
    const groupService = yield* Groups
    const reports = yield* Reports

    const visible = Effect.flatMap(CurrentActor, access.visibleProjects)

    const isVisible = (id: ProjectId) =>
      access.project("project.read", id).pipe(
        Effect.as(true),
        Effect.catchTags({
          AccessDenied: () => Effect.succeed(false),
          ProjectNotFound: () => Effect.succeed(false),
        }),
      )

    /** The project if the rule allows it, none if it is not visible. Fails with `AccessDenied` otherwise. */
    const allowed = <Rule extends ProjectRule>(rule: Rule, id: ProjectId) =>
      access.project(rule, id).pipe(
        Effect.asSome,
        Effect.catchTags({
          AccessDenied: (denied) =>
            Effect.flatMap(isVisible(id), (visible) => (visible ? denied : Effect.succeedNone)),
          ProjectNotFound: () => Effect.succeedNone,
        }),
      )

    /** A project for which the rule allows the caller. */
    const project = Effect.fn("Triage.project")(function* <Rule extends ProjectRule>(rule: Rule, id: number) {
      const found = isProjectId(id) ? yield* allowed(rule, id) : Option.none()
      return Option.isSome(found) ? found.value : yield* new NotAccessible({ what: "project", id })
    })

    /** Groups by project. Skips groups that the caller may not access. */
    const groups = Effect.fn("Triage.groups")(function* <Rule extends GroupsRule>(
      rule: Rule,
      ids: ReadonlyArray<number>,
    ) {
      const places = yield* groupStore.locate(ids.filter(isGroupId), yield* visible)
      const found: globalThis.Array<AccessibleGroups<Known<Rule>>> = []
      for (const projectId of new Set(places.map((place) => place.projectId))) {
        const project = yield* allowed(rule, projectId).pipe(
          Effect.catchTag("AccessDenied", () => Effect.succeedNone),
        )
        if (Option.isNone(project)) continue
        const own = places.filter((place) => place.projectId === projectId)
        found.push({ project: project.value, groupIds: own.map(({ groupId }) => groupId) })
      }
      return found
    })

    /** A group, merged or not. */
    const group = Effect.fn("Triage.group")(function* <Rule extends GroupsRule>(rule: Rule, id: number) {
      const [place] = isGroupId(id) ? yield* groupStore.locate([id], yield* visible) : []
      const project = place === undefined ? Option.none() : yield* allowed(rule, place.projectId)
      return place !== undefined && Option.isSome(project)
        ? { project: project.value, groupId: place.groupId }
        : yield* new NotAccessible({ what: "group", id })
    })

    /** A report, with the root of its group. */
    const report = Effect.fn("Triage.report")(function* (id: number) {
      if (!isReportId(id)) return yield* new NotAccessible({ what: "report", id })
      const place = yield* reportStore.place(id, yield* visible)
      const project = Option.isSome(place)
        ? yield* allowed("groups.read", place.value.projectId)
        : Option.none()
      return Option.isSome(place) && Option.isSome(project)
        ? { project: project.value, groupId: place.value.groupId, reportId: id }
        : yield* new NotAccessible({ what: "report", id })
    })

    /** The caller's projects that recorded an event, latest report first. */
    const projectsOfEvent = Effect.fn("Triage.projectsOfEvent")(function* (text: string) {
      const eventId = parseEventId(text)
      const ids = eventId === null ? [] : yield* reportStore.projectsOfEvent(eventId, yield* visible)
      return yield* Effect.map(
        Effect.forEach(ids, (id) =>
          Effect.catchTag(allowed("groups.read", id), "AccessDenied", () => Effect.succeedNone),
        ),
        Array.getSomes,
      )
    })

    /** A note on a group that the caller may change. Does not check the right to delete the note. */
    const note = Effect.fn("Triage.note")(function* (id: number) {
      if (!isNoteId(id)) return yield* new NotAccessible({ what: "note", id })
      const place = yield* noteStore.place(id, yield* visible)
      const project = Option.isSome(place)
        ? yield* allowed("groups.change", place.value.projectId)
        : Option.none()
      return Option.isSome(place) && Option.isSome(project)
        ? { project: project.value, groupId: place.value.groupId, noteId: id }
        : yield* new NotAccessible({ what: "note", id })
    })

    /** Collects data for an investigation of a group. Lists are short. */
    const investigate = Effect.fn("Triage.investigate")(
      function* (project: AuthorizedProject<"groups.read">, groupId: GroupId) {
        const group = yield* groupService.get(project, groupId)
        const newest = yield* reports.list(project, groupId, anyTime, { limit: sampledReports, cursor: null })
        let report: Report | null = null
        for (const { id } of newest.items) {
          const read = yield* reports.get(project, groupId, id)
          report ??= read
          if (!tellsWhere(read)) continue
          report = read
          break
        }
        const similar = yield* groupService.list(
          project,
          { ...GroupFilter.all, resolved: false, errorType: group.errorType },
          { limit: similarGroups + 1, cursor: null },
        )
        return {
          group,
          report,
          notes: (yield* notes.list(project, groupId, { limit: shownNotes, cursor: null })).items,
          similar: similar.items.filter(({ id }) => id !== group.id).slice(0, similarGroups),
          recentReportIds: newest.items.map(({ id }) => id),
        }
      },
      // The lists are requested with valid limits.
      Effect.catchTag("ValidationError", Effect.die),
    )

    /** Changes groups and adds a note to each, if given, in one transaction. */
    const explained = <A, E, R>(
      { groupIds, project }: AccessibleGroups<"groups.change">,
      content: string | undefined,
      change: Effect.Effect<A, E, R>,
    ) =>
      transaction(
        Effect.tap(
          change,
          content === undefined ? Effect.void : notes.createMany(project, groupIds, content),
        ),
      )

    return { project, groups, group, report, projectsOfEvent, note, investigate, explained }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

/** Number of latest reports to search for one with frames of the application. */
const sampledReports = 5
const similarGroups = 5
const shownNotes = 10
const anyTime = { since: null, until: null }

const tellsWhere = ({ details }: Report): boolean =>
  details?.exceptions.some(({ frames }) => frames.some((frame) => frame.in_app === true)) === true

const isProjectId = Schema.is(ProjectId)
const isGroupId = Schema.is(GroupId)
const isReportId = Schema.is(ReportId)
const isNoteId = Schema.is(NoteId)

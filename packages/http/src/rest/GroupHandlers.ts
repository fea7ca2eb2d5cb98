import {
  Assignment,
  BulkMute,
  BulkResolve,
  GroupIds,
  GroupMute,
  GroupResolve,
  groupDetailView,
  groupView,
  hintFields,
  IssueLink,
  pageFields,
} from "@errata/api/internal"
import {
  AccessPolicy,
  GroupId,
  Groups,
  groupMarkdown,
  type ListedGroup,
  OwnGroups,
  ProjectId,
  Reports,
  Triage,
  UserId,
  WebAddress,
} from "@errata/core"
import { readMute } from "@errata/core/internal"
import { DateTime, Effect, type Schema } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import type { BodyRequest } from "./BodyRequest.js"
import * as JsonText from "./JsonText.js"
import * as MarkdownResponse from "./MarkdownResponse.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject, type ProjectPath } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"groups">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const groups = yield* Groups
    const ownGroups = yield* OwnGroups
    const reports = yield* Reports
    const triage = yield* Triage

    const readable = inProject(access, "groups.read")
    const changeable = inProject(access, "groups.change")

    const listed = (items: ReadonlyArray<ListedGroup>, { include }: { readonly include?: "last_report" }) =>
      Effect.gen(function* () {
        const last = include === undefined ? null : yield* reports.latestOf(items)
        const now = yield* DateTime.now
        const address = yield* WebAddress
        return items.map((group) => groupView(group, now, address, last?.get(group.id)))
      })

    /** Changes the group in the path. */
    const change = <A, E extends { readonly _tag: string }, R>(
      params: ProjectPath & { readonly group_id: number },
      change: (
        project: AccessPolicy.AuthorizedProject<"groups.change">,
        id: GroupId,
      ) => Effect.Effect<A, E, R>,
    ) =>
      Effect.flatMap(changeable(params), (project) => change(project, GroupId.make(params.group_id))).pipe(
        toProblems,
      )

    /** Changes the groups in the body, if the caller may change them. */
    const bulkOf =
      <Body extends GroupIds, I>(schema: Schema.Codec<Body, I>) =>
      <A, E, R>(
        params: ProjectPath & { readonly group_id: number },
        request: BodyRequest,
        change: (
          project: AccessPolicy.AuthorizedProject<"groups.change">,
          anchor: GroupId,
          ids: ReadonlyArray<number>,
          body: Body,
        ) => Effect.Effect<A, E, R>,
      ) =>
        AuthorizedBody.use(request, schema, changeable(params), (body, project) =>
          change(project, GroupId.make(params.group_id), body.group_ids, body),
        )
    const bulk = bulkOf(GroupIds)

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const project = yield* readable(params)
          const { filter, hints } = yield* groups.filterOf(project, query)
          const page = yield* groups.list(project, filter, { ...pageRequest(query), sort: query.sort })
          return {
            groups: yield* listed(page.items, query),
            ...pageFields(page),
            ...hintFields(hints),
          }
        }).pipe(toProblems),
      )
      .handle("listAll", ({ query }) =>
        Effect.gen(function* () {
          const caller = yield* access.instance("projects.list")
          const page = { ...pageRequest(query), sort: query.sort }
          const found = yield* ownGroups.list(caller, query, query.project_ids ?? null, page)
          return {
            groups: yield* listed(found.items, query),
            ...pageFields(found),
            ...hintFields(found.hints),
            ...(found.skipped.length > 0 && { skipped_project_ids: found.skipped }),
          }
        }).pipe(toProblems),
      )
      .handle("count", ({ params, query }) =>
        Effect.gen(function* () {
          const project = yield* readable(params)
          return yield* groups.count(project, (yield* groups.filterOf(project, query)).filter)
        }).pipe(toProblems),
      )
      .handle("get", ({ params, request }) =>
        Effect.gen(function* () {
          const project = yield* readable(params)
          const id = GroupId.make(params.group_id)
          const now = yield* DateTime.now
          const address = yield* WebAddress
          return MarkdownResponse.isWanted(request)
            ? yield* MarkdownResponse.of(groupMarkdown(yield* triage.investigate(project, id), now, address))
            : groupDetailView(yield* groups.get(project, id), now, address)
        }).pipe(toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.flatMap(access.project("groups.discard", ProjectId.make(params.project_id)), (project) =>
          groups.discard(project, GroupId.make(params.group_id)),
        ).pipe(toProblems),
      )
      .handleRaw("resolve", ({ params, request }) =>
        AuthorizedBody.use(
          request,
          GroupResolve,
          changeable(params),
          ({ in_release }, project) => groups.resolve(project, GroupId.make(params.group_id), in_release),
          // Earlier versions had no body, so callers may send anything.
          (...body) => JsonText.decodeKey("in_release", ...body),
        ).pipe(toProblems),
      )
      .handle("unresolve", ({ params }) => change(params, groups.unresolve))
      .handleRaw("mute", ({ params, request }) =>
        AuthorizedBody.use(
          request,
          GroupMute,
          changeable(params),
          ({ occurrences, snooze_until: until, until_release: untilRelease }, project) =>
            Effect.flatMap(readMute({ occurrences, until, untilRelease }), (mute) =>
              groups.mute(project, GroupId.make(params.group_id), mute),
            ),
        ).pipe(toProblems),
      )
      .handle("unmute", ({ params }) => change(params, groups.unmute))
      .handleRaw("bulkResolve", ({ params, request }) =>
        bulkOf(BulkResolve)(params, request, (project, anchor, ids, { in_release }) =>
          groups.resolveMany(project, anchor, ids, in_release),
        ).pipe(Effect.map(bulkResult), toProblems),
      )
      .handleRaw("bulkUnresolve", ({ params, request }) =>
        bulk(params, request, groups.unresolveMany).pipe(Effect.map(bulkResult), toProblems),
      )
      .handleRaw("bulkMute", ({ params, request }) =>
        bulkOf(BulkMute)(params, request, (project, anchor, ids, { until_release: untilRelease }) =>
          Effect.flatMap(readMute({ untilRelease }), (mute) => groups.muteMany(project, anchor, ids, mute)),
        ).pipe(Effect.map(bulkResult), toProblems),
      )
      .handleRaw("bulkUnmute", ({ params, request }) =>
        bulk(params, request, groups.unmuteMany).pipe(Effect.map(bulkResult), toProblems),
      )
      .handleRaw("bulkMerge", ({ params, request }) =>
        bulk(params, request, groups.merge).pipe(
          Effect.map(({ mergedIntoId, movedMute, processed }) => ({
            processed,
            merged_into_id: mergedIntoId,
            ...(movedMute !== null && { muted_until_reports_count: movedMute }),
          })),
          toProblems,
        ),
      )
      .handleRaw("assign", ({ params, request }) =>
        AuthorizedBody.use(request, Assignment, changeable(params), ({ user_id }, project) =>
          groups.assign(project, GroupId.make(params.group_id), UserId.make(user_id)),
        ).pipe(toProblems),
      )
      .handleRaw("linkIssue", ({ params, request }) =>
        AuthorizedBody.use(request, IssueLink, changeable(params), ({ url }, project) =>
          groups.linkIssue(project, GroupId.make(params.group_id), url),
        ).pipe(toProblems),
      )
      .handle("unlinkIssue", ({ params }) => change(params, groups.unlinkIssue))
      .handle("unassign", ({ params }) => change(params, groups.unassign))
  })

// internal

const bulkResult = (processed: number) => ({ processed })

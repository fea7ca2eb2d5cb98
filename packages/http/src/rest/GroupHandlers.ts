import { HttpApiBuilder, type HttpServerRequest } from "@effect/platform"
import {
  Assignment,
  type ErrataApi,
  GroupIds,
  GroupMute,
  groupDetailView,
  groupView,
  hintFields,
  pageFields,
} from "@errata/api"
import {
  AccessPolicy,
  GroupId,
  Groups,
  groupMarkdown,
  ProjectId,
  readMute,
  Triage,
  UserId,
} from "@errata/core"
import { DateTime, Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import * as MarkdownResponse from "./MarkdownResponse.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "groups", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const groups = yield* Groups
      const triage = yield* Triage

      const readable = (path: ProjectPath) => access.project("groups.read", ProjectId.make(path.project_id))
      const changeable = (path: ProjectPath) =>
        access.project("groups.change", ProjectId.make(path.project_id))

      /** A change of the groups in the body, for the caller who may change them. */
      const bulk = <A, E, R>(
        path: ProjectPath & { readonly group_id: number },
        request: HttpServerRequest.HttpServerRequest,
        change: (
          project: AccessPolicy.AuthorizedProject<"groups.change">,
          anchor: GroupId,
          ids: ReadonlyArray<number>,
        ) => Effect.Effect<A, E, R>,
      ) =>
        AuthorizedBody.use(request, GroupIds, changeable(path), ({ group_ids }, project) =>
          change(project, GroupId.make(path.group_id), group_ids),
        )

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const project = yield* readable(path)
            const { filter, hints } = yield* groups.filterOf(project, urlParams)
            const page = yield* groups.list(project, filter, pageRequest(urlParams))
            const now = yield* DateTime.now
            return {
              groups: page.items.map((group) => groupView(group, now)),
              ...pageFields(page),
              ...hintFields(hints),
            }
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          Effect.gen(function* () {
            const project = yield* readable(path)
            const id = GroupId.make(path.group_id)
            const now = yield* DateTime.now
            return (yield* MarkdownResponse.isWanted)
              ? MarkdownResponse.of(groupMarkdown(yield* triage.investigate(project, id), now))
              : groupDetailView(yield* groups.get(project, id), now)
          }).pipe(toProblems),
        )
        .handleRaw("resolve", ({ path }) =>
          Effect.flatMap(changeable(path), (project) =>
            groups.resolve(project, GroupId.make(path.group_id)),
          ).pipe(toProblems),
        )
        .handle("unresolve", ({ path }) =>
          Effect.flatMap(changeable(path), (project) =>
            groups.unresolve(project, GroupId.make(path.group_id)),
          ).pipe(toProblems),
        )
        .handleRaw("mute", ({ path, request }) =>
          AuthorizedBody.use(
            request,
            GroupMute,
            changeable(path),
            ({ occurrences, snooze_until: until }, project) =>
              Effect.flatMap(readMute({ occurrences, until }), (mute) =>
                groups.mute(project, GroupId.make(path.group_id), mute),
              ),
          ).pipe(toProblems),
        )
        .handle("unmute", ({ path }) =>
          Effect.flatMap(changeable(path), (project) =>
            groups.unmute(project, GroupId.make(path.group_id)),
          ).pipe(toProblems),
        )
        .handleRaw("bulkResolve", ({ path, request }) =>
          bulk(path, request, groups.resolveMany).pipe(Effect.map(bulkResult), toProblems),
        )
        .handleRaw("bulkUnresolve", ({ path, request }) =>
          bulk(path, request, groups.unresolveMany).pipe(Effect.map(bulkResult), toProblems),
        )
        .handleRaw("bulkMute", ({ path, request }) =>
          bulk(path, request, groups.muteMany).pipe(Effect.map(bulkResult), toProblems),
        )
        .handleRaw("bulkUnmute", ({ path, request }) =>
          bulk(path, request, groups.unmuteMany).pipe(Effect.map(bulkResult), toProblems),
        )
        .handleRaw("bulkMerge", ({ path, request }) =>
          bulk(path, request, groups.merge).pipe(
            Effect.map(({ mergedIntoId, movedMute, processed }) => ({
              processed,
              merged_into_id: mergedIntoId,
              ...(movedMute !== null && { muted_until_reports_count: movedMute }),
            })),
            toProblems,
          ),
        )
        .handleRaw("assign", ({ path, request }) =>
          AuthorizedBody.use(request, Assignment, changeable(path), ({ user_id }, project) =>
            groups.assign(project, GroupId.make(path.group_id), UserId.make(user_id)),
          ).pipe(toProblems),
        )
        .handle("unassign", ({ path }) =>
          Effect.flatMap(changeable(path), (project) =>
            groups.unassign(project, GroupId.make(path.group_id)),
          ).pipe(toProblems),
        )
    }),
  )

// internal

interface ProjectPath {
  readonly project_id: number
}

const bulkResult = (processed: number) => ({ processed })

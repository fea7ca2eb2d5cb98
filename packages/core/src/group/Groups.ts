import { Array, Context, DateTime, Effect, Layer, Option } from "effect"
import { AccessPolicy, type AuthorizedProject } from "../access/AccessPolicy.js"
import { Actor, userIdOf } from "../access/Actor.js"
import { hintsOn } from "../search/SearchHints.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import type { UserId } from "../user/User.js"
import { UserStore } from "../user/UserStore.js"
import { ValidationError } from "../validation/ValidationError.js"
import { checkInRelease } from "./FixedIn.js"
import { activeMutes, type Group, type GroupId, mutedUntilReportsCount } from "./Group.js"
import * as GroupFilter from "./GroupFilter.js"
import * as GroupLifecycle from "./GroupLifecycle.js"
import type { GroupListTexts } from "./GroupListParameters.js"
import { type MergeId, MergeNotFound } from "./GroupMerge.js"
import { existing, GroupNotFound } from "./GroupNotFound.js"
import { filterFor, queryOf } from "./GroupQueries.js"
import { selected } from "./GroupSelection.js"
import { type GroupPageRequest, inExactOrder } from "./GroupSort.js"
import { GroupStore } from "./GroupStore.js"
import { issueUrlProblem } from "./IssueUrl.js"
import { checkMute } from "./MuteRequest.js"
import * as Outbox from "./Outbox.js"
import * as SaveTransitions from "./SaveTransitions.js"

/** Groups of a list are counted up to this number. */
export const maxCount = 1_000

/** Applies a lifecycle command to one group on behalf of a user. */
type Command = (group: Group, by: UserId | null, now: DateTime.Utc) => GroupLifecycle.Transition

/** Reads and changes the groups of a project. */
export class Groups extends Context.Service<Groups>()("@errata/core/group/Groups", {
  make: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const transaction = yield* Transactions.make
    const users = yield* UserStore
    const groups = yield* GroupStore
    const writeOutbox = yield* Outbox.make
    const save = yield* SaveTransitions.make

    /** Parses list parameters. The project's tag keys are valid filter names. */
    const filterOf = Effect.fn("Groups.filterOf")(function* (
      { project, actor }: AuthorizedProject<"groups.read">,
      texts: GroupListTexts,
    ) {
      const { filter, tagKeys } = yield* filterFor(groups, actor)(project.id, texts)
      return { filter, hints: hintsOn(queryOf(texts), tagKeys) }
    })

    /** Groups that match the filter, in the order of the page. */
    const list = Effect.fn("Groups.list")(function* (
      { project }: AuthorizedProject<"groups.read">,
      filter: GroupFilter.GroupFilter,
      page: GroupPageRequest,
    ) {
      yield* GroupFilter.check(filter)
      const checked = { ...page, ...(yield* Page.checked(page)) }
      const found = yield* groups.list(project.id, filter, checked, yield* DateTime.now)
      return { ...found, items: inExactOrder(found.items, page.sort) }
    })

    /** Counts matching groups. `capped` is true if there are more than `maxCount`. */
    const count = Effect.fn("Groups.count")(function* (
      { project }: AuthorizedProject<"groups.read">,
      filter: GroupFilter.GroupFilter,
    ) {
      yield* GroupFilter.check(filter)
      const counted = yield* groups.count(project.id, filter, maxCount + 1, yield* DateTime.now)
      return { count: Math.min(counted, maxCount), capped: counted > maxCount }
    })

    const get = Effect.fn("Groups.get")(function* (
      { project }: AuthorizedProject<"groups.read">,
      id: GroupId,
    ) {
      return yield* existing(yield* groups.find(project.id, id), id)
    })

    const changeOne = (name: string, command: Command) =>
      Effect.fn(name)(function* ({ project, actor }: AuthorizedProject<"groups.change">, id: GroupId) {
        const now = yield* DateTime.now
        yield* transaction(
          Effect.gen(function* () {
            const locked = yield* groups.lock(project.id, [id])
            const group = yield* existing(Array.head(locked), id)
            yield* save([group], (group) => command(group, userIdOf(actor), now), now)
          }),
        )
      })

    /**
     * Changes existing groups where needed, and returns how many changed. Takes 1 to `maxIds` ids. Fails if the anchor,
     * a group named by the caller, does not exist.
     */
    const changeMany = (name: string, command: Command) =>
      Effect.fn(name)(function* (
        { project, actor }: AuthorizedProject<"groups.change">,
        anchor: GroupId | null,
        groupIds: ReadonlyArray<number>,
      ) {
        const ids = yield* selected(groupIds)
        const now = yield* DateTime.now
        if (anchor !== null) yield* existing(yield* groups.find(project.id, anchor), anchor)
        return yield* transaction(
          Effect.gen(function* () {
            const locked = (yield* groups.lock(project.id, ids)).filter(
              (group) => group.mergedIntoId === null,
            )
            return yield* save(locked, (group) => command(group, userIdOf(actor), now), now)
          }),
        )
      })

    /** Resolves a group. With a release (`next` or a version), only reports of that or a newer release reopen it. */
    const resolve = Effect.fn("Groups.resolve")(function* (
      project: AuthorizedProject<"groups.change">,
      id: GroupId,
      inRelease: string | null = null,
    ) {
      yield* checkInRelease(inRelease)
      yield* changeOne("Groups.resolve.change", (group, by, now) =>
        GroupLifecycle.resolve(group, by, now, inRelease),
      )(project, id)
    })

    /** Resolves the unresolved groups among these; see `resolve`. Returns how many. */
    const resolveMany = Effect.fn("Groups.resolveMany")(function* (
      project: AuthorizedProject<"groups.change">,
      anchor: GroupId | null,
      groupIds: ReadonlyArray<number>,
      inRelease: string | null = null,
    ) {
      yield* checkInRelease(inRelease)
      return yield* changeMany("Groups.resolveMany.change", (group, by, now) =>
        GroupLifecycle.resolveUnresolved(group, by, now, inRelease),
      )(project, anchor, groupIds)
    })

    /** Mutes the unmuted groups among these. Returns how many. */
    const muteMany = Effect.fn("Groups.muteMany")(function* (
      project: AuthorizedProject<"groups.change">,
      anchor: GroupId | null,
      groupIds: ReadonlyArray<number>,
      request: GroupLifecycle.MuteRequest = GroupLifecycle.MuteRequest.Permanent(),
    ) {
      yield* checkMute(request, yield* DateTime.now)
      return yield* changeMany("Groups.muteMany.change", (group, by, now) =>
        GroupLifecycle.muteUnmuted(group, by, now, request),
      )(project, anchor, groupIds)
    })

    /** Mutes a group. A deadline must be in the future, and a count positive. */
    const mute = Effect.fn("Groups.mute")(function* (
      project: AuthorizedProject<"groups.change">,
      id: GroupId,
      request: GroupLifecycle.MuteRequest,
    ) {
      yield* checkMute(request, yield* DateTime.now)
      yield* changeOne("Groups.mute.change", (group, by, at) => GroupLifecycle.mute(group, request, by, at))(
        project,
        id,
      )
    })

    /** Assigns a group to a user who can read it. */
    const assign = Effect.fn("Groups.assign")(function* (
      project: AuthorizedProject<"groups.change">,
      id: GroupId,
      assigneeId: UserId,
    ) {
      const found = yield* users.find(assigneeId)
      // The same message for all cases, so that callers who may not list users cannot probe for ids.
      if (
        Option.isNone(found) ||
        !found.value.active ||
        !access.allows("groups.read", Actor.Person({ user: found.value }), project.project)
      ) {
        return yield* ValidationError.of("assigneeId", "is not an active user with access to the project")
      }
      yield* changeOne("Groups.assign.change", (group, by, at) =>
        GroupLifecycle.assign(group, assigneeId, by, at),
      )(project, id)
    })

    /** Links a group to its issue, and replaces an earlier link. */
    const linkIssue = Effect.fn("Groups.linkIssue")(function* (
      project: AuthorizedProject<"groups.change">,
      id: GroupId,
      issueUrl: string,
    ) {
      yield* ValidationError.ensure({ url: issueUrlProblem(issueUrl) })
      yield* changeOne("Groups.linkIssue.change", (group, by, at) =>
        GroupLifecycle.linkIssue(group, issueUrl, by, at),
      )(project, id)
    })

    /**
     * Deletes a group, the groups merged into it, and their reports. They are hidden at once; a job purges them later.
     * The next report with the grouping key creates a new group, with a note about this one.
     */
    const discard = Effect.fn("Groups.discard")(function* (
      { project, actor }: AuthorizedProject<"groups.discard">,
      id: GroupId,
    ) {
      const now = yield* DateTime.now
      const by = userIdOf(actor)
      yield* transaction(
        Effect.gen(function* () {
          const locked = yield* groups.lock(project.id, [id])
          yield* groups.remove(yield* existing(Array.head(locked), id), by, now)
        }),
      )
      yield* Effect.annotateLogs(Effect.logInfo("A group was deleted"), {
        projectId: project.id,
        groupId: id,
        userId: by,
      })
    })

    /**
     * Merges groups into a target, which then includes their reports, counts, notes and tags. Skips ids that are
     * unknown or of other projects. Rejects the request if the target is among the sources or any of the groups is
     * already merged. Merged reports raise the limit of a mute by count; `movedMute` is the new limit.
     */
    const merge = Effect.fn("Groups.merge")(function* (
      { project, actor }: AuthorizedProject<"groups.change">,
      targetId: GroupId,
      groupIds: ReadonlyArray<number>,
    ) {
      const sourceIds = yield* selected(groupIds)
      const now = yield* DateTime.now
      const by = userIdOf(actor)
      return yield* transaction(
        Effect.gen(function* () {
          const locked = yield* groups.lockToMerge(project.id, targetId, [...new Set(sourceIds)])
          const target = locked.find((group) => group.id === targetId)
          if (target === undefined) return yield* new GroupNotFound({ groupId: targetId, mergedIntoId: null })
          const sources = locked.filter((group) => sourceIds.includes(group.id))
          const merged = yield* Effect.mapError(
            Effect.fromResult(GroupLifecycle.merge(target, sources, by, now)),
            (rejected) => ValidationError.of("groupIds", mergeMessages[rejected.reason]),
          )
          if (merged.sources.length === 0) return { processed: 0, mergedIntoId: targetId, movedMute: null }
          yield* groups.merge(merged.target, merged.sources, by, now)
          yield* writeOutbox(merged.events, now)
          const movedMute = mutedUntilReportsCount(activeMutes(merged.target, now).mute)
          return { processed: merged.sources.length, mergedIntoId: targetId, movedMute }
        }),
      )
    })

    /** The merges into a group, newest first. */
    const listMerges = Effect.fn("Groups.listMerges")(function* (
      { project }: AuthorizedProject<"groups.read">,
      groupId: GroupId,
      page: Page.PageRequest,
    ) {
      yield* existing(yield* groups.find(project.id, groupId), groupId)
      return yield* groups.listMerges(project.id, groupId, yield* Page.checked(page))
    })

    /** Undoes a merge. Its source is a separate group again, with its own sources and all reports recorded since. */
    const unmerge = Effect.fn("Groups.unmerge")(function* (
      { project, actor }: AuthorizedProject<"groups.change">,
      groupId: GroupId,
      mergeId: MergeId,
    ) {
      const now = yield* DateTime.now
      yield* transaction(
        Effect.gen(function* () {
          yield* existing(yield* groups.find(project.id, groupId), groupId)
          const locked = Option.getOrNull(yield* groups.lockMerge(project.id, mergeId))
          if (locked === null || locked.root.id !== groupId) return yield* new MergeNotFound({ mergeId })
          const unmerged = GroupLifecycle.unmerge(locked, userIdOf(actor), now)
          yield* groups.unmerge(locked.merge, unmerged)
          yield* writeOutbox(unmerged.events, now)
        }),
      )
    })

    return {
      filterOf,
      list,
      count,
      get,
      resolve,
      unresolve: changeOne("Groups.unresolve", GroupLifecycle.unresolve),
      mute,
      assign,
      unassign: changeOne("Groups.unassign", (group, by, now) => GroupLifecycle.assign(group, null, by, now)),
      discard,
      linkIssue,
      unlinkIssue: changeOne("Groups.unlinkIssue", unlinkIssue),
      unmute: changeOne("Groups.unmute", GroupLifecycle.unmute),
      resolveMany,
      unresolveMany: changeMany("Groups.unresolveMany", GroupLifecycle.unresolve),
      muteMany,
      unmuteMany: changeMany("Groups.unmuteMany", GroupLifecycle.unmute),
      merge,
      listMerges,
      unmerge,
    }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const unlinkIssue: Command = (group, by, now) => GroupLifecycle.linkIssue(group, null, by, now)

const mergeMessages = {
  into_itself: "can't contain the group to merge into",
  source_already_merged: "contains a group that is already merged",
  target_already_merged: "can't be merged into a group that is already merged",
}

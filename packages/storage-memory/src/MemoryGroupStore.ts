import { type Group, GroupFilter, GroupId, GroupSort, Page, type ProjectId, SearchQuery } from "@errata/core"
import {
  type DiscardedGroup,
  GroupLifecycle,
  type GroupStore,
  type LockedGroup,
  maxDiscardedKeys,
  maxTagKeys,
  type PayloadPlace,
} from "@errata/core/ports"
import type { DateTime } from "effect"
import { Effect, Option } from "effect"
import * as GroupMerges from "./internal/GroupMerges.js"
import { isAmong } from "./internal/LiveProjects.js"
import { pageOf } from "./internal/Pages.js"
import { partsOf, removeGroup } from "./internal/ProjectPurge.js"
import { keyOf, type State } from "./internal/State.js"
import * as TagReads from "./internal/TagReads.js"
import type { Reader, Transaction } from "./internal/Transaction.js"
import { rootOf, treeOf } from "./internal/Tree.js"
import { countUsers } from "./internal/Users.js"

import * as MemoryActivityStore from "./MemoryActivityStore.js"

/** Locks are plain reads, because transactions run one at a time. */
export const make = (state: State): GroupStore["Service"] => {
  const put = (transaction: Transaction, group: Group) => {
    const before = state.groups.get(transaction, group.id)
    state.groups.set(transaction, group.id, group)
    const listed = group.mergedIntoId === null
    if (listed !== (before !== undefined && before.mergedIntoId === null)) {
      const ids = state.groupIds.of(group.projectId)
      if (listed) ids.add(transaction, group.id)
      else ids.remove(transaction, group.id)
    }
    const expires = hasDeadline(group)
    if (expires !== (before !== undefined && hasDeadline(before))) {
      if (expires) state.deadlineIds.add(transaction, group.id)
      else state.deadlineIds.remove(transaction, group.id)
    }
  }

  const save = (transaction: Transaction, group: Group) => {
    const before = state.groups.get(transaction, group.id)
    if (before === undefined) return
    const { notesCount } = before
    put(transaction, { ...group, notesCount })
  }

  const lockOrCreate = (
    transaction: Transaction,
    candidate: GroupLifecycle.NewGroup,
    now: DateTime.Utc,
  ): LockedGroup => {
    const groupingKey = groupingKeyOf(candidate)
    const known = state.groupByKey.get(transaction, groupingKey)
    if (known !== undefined) {
      const groupId = GroupId.make(known)
      const rootId = rootOf(state, transaction, groupId)
      return { group: state.groups.get(transaction, rootId)!, groupId, created: false }
    }
    const id = GroupId.make(state.nextId("group"))
    const projectMute = state.projects.get(transaction, candidate.projectId)?.mute ?? null
    const group = GroupLifecycle.create(id, candidate, projectMute, now)
    put(transaction, group)
    if (candidate.release !== "") state.firstReleases.set(transaction, id, candidate.release)
    state.groupByKey.set(transaction, groupingKey, id)
    return { group, groupId: id, created: true }
  }

  const select = (
    reader: Reader,
    ids: Iterable<number>,
    limit: number,
    passes: (group: Group) => boolean,
  ) => {
    const found: Array<Group> = []
    for (const id of ids) {
      if (found.length >= limit) break
      const group = state.groups.get(reader, id)
      if (group !== undefined && passes(group)) found.push(group)
    }
    return found
  }

  const matching = (reader: Reader, filter: GroupFilter.GroupFilter, id: number, now: DateTime.Utc) => {
    const group = state.groups.get(reader, id)
    if (group === undefined) return undefined
    const tree = treeOf(state, reader, group.id)
    const hasTag = (key: string, value: string) =>
      tree.some((each) => (state.groupTags.get(each)?.get(reader, keyOf(key, value)) ?? 0) > 0)
    const members = tree.flatMap((each) => (each === id ? [] : (state.groups.get(reader, each) ?? [])))
    return GroupFilter.matchesGroup(filter, group, hasTag, now.epochMilliseconds, members) ? group : undefined
  }

  const lock: GroupStore["Service"]["lock"] = (projectId, ids) =>
    state.read((reader) => {
      const ascending = [...new Set<number>(ids)].sort((a, b) => a - b)
      return select(reader, ascending, ascending.length, (group) => group.projectId === projectId)
    })

  return {
    ...GroupMerges.make(state, lock, put),
    ...TagReads.make(state),

    addKey: ({ groupId, projectId }, { algorithm, key }) =>
      state.write((transaction) => {
        const groupingKey = keyOf(projectId, algorithm, key)
        const known = state.groupByKey.get(transaction, groupingKey)
        if (known === undefined && state.groups.has(transaction, groupId)) {
          state.groupByKey.set(transaction, groupingKey, groupId)
          state.groupAliases.set(transaction, groupingKey, groupId)
        }
        if (known === undefined || known === groupId) return { groupId, isNewTwin: false }
        const twins = keyOf(groupId, known)
        const isNewTwin = !state.groupTwins.has(transaction, twins)
        if (isNewTwin) state.groupTwins.set(transaction, twins, true)
        return { groupId: GroupId.make(known), isNewTwin }
      }),

    // In a single transaction.
    remove: (root, by, at) =>
      state.write((transaction) => {
        const tree = treeOf(state, transaction, root.id)
        const { id: groupId, projectId, reportsCount } = root
        recordDiscarded(state, transaction, projectId, new Set(tree), { groupId, reportsCount, by, at })
        for (const id of tree) {
          const group = state.groups.get(transaction, id)!
          emptyBodies(state, transaction, id)
          for (const removePart of [...partsOf(state, transaction, group)]) removePart()
          removeGroup(state, transaction, group)
        }
        const project = state.projects.get(transaction, root.projectId)
        if (project === undefined) return
        const groupsCount = project.groupsCount - 1
        state.projects.set(transaction, project.id, { ...project, groupsCount })
      }),

    lastDiscarded: (groups) =>
      state.read((reader) =>
        groups.map((group) => state.discardedKeys.get(reader, groupingKeyOf(group)) ?? null),
      ),

    purge: () => Effect.succeed(0),

    locate: (ids, projectIds) =>
      state.read((reader) => {
        const ascending = [...new Set<number>(ids)].sort((a, b) => a - b)
        return select(reader, ascending, ascending.length, (group) =>
          isAmong(state, reader, group.projectId, projectIds),
        ).map((group) => ({ projectId: group.projectId, groupId: group.id }))
      }),

    find: (projectId, id) =>
      state.read((reader) =>
        Option.filter(
          Option.fromNullishOr(state.groups.get(reader, id)),
          (group) => group.projectId === projectId,
        ),
      ),

    lock,

    list: (projectId, filter, { sort = "newest", ...page }, now) =>
      state.read((reader) => {
        const match = (id: number) => matching(reader, filter, id, now)
        if (sort === "newest") {
          return pageOf(state.groupIds.get(projectId)?.descending(reader, page.cursor) ?? [], page, match)
        }
        const { cursor, limit } = page
        const placed = Array.from(
          state.groupIds.get(projectId)?.descending(reader) ?? [],
          (id) => match(id) ?? [],
        )
          .flat()
          .map((group) => ({ group, place: GroupSort.placeOf(sort, group) }))
          .filter(({ place }) => cursor === null || place < cursor)
          .sort((a, b) => b.place - a.place)
        const groups = placed.slice(0, limit + 1).map(({ group }) => group)
        return Page.fromRows(groups, page, (group) => GroupSort.placeOf(sort, group))
      }),

    count: (projectId, filter, limit, now) =>
      state.read((reader) => {
        let count = 0
        for (const id of state.groupIds.get(projectId)?.descending(reader) ?? []) {
          if (count < limit && matching(reader, filter, id, now) !== undefined) count++
        }
        return count
      }),

    lockOrCreate: (candidates, now) =>
      state.write((transaction) => candidates.map((candidate) => lockOrCreate(transaction, candidate, now))),

    save: (groups) =>
      state.write((transaction) => {
        for (const group of groups) save(transaction, group)
      }),

    discard: (groups) =>
      state.write((transaction) => {
        for (const group of groups) {
          const { id, projectId } = group
          state.groupByKey.delete(transaction, groupingKeyOf(group))
          state.groups.delete(transaction, id)
          state.firstReleases.delete(transaction, id)
          state.groupIds.of(projectId).remove(transaction, id)
          state.deadlineIds.remove(transaction, id)
        }
      }),

    addTagCounts: (counts, activity = []) =>
      state.write((transaction) => {
        MemoryActivityStore.count(state, transaction, activity)
        for (const { count, groupId, key, projectId, value } of counts) {
          state.tagKeys.of(projectId).set(transaction, key, true)
          const tags = state.groupTags.of(groupId)
          const tag = keyOf(key, value)
          tags.set(transaction, tag, (tags.get(transaction, tag) ?? 0) + count)
        }
      }),

    addUsers: (users) =>
      state.write((transaction) => {
        const changed = new Map<GroupId, number>()
        for (const { group, groupId, user } of users) {
          const known = state.groupUsers.of(groupId)
          if (known.has(transaction, user)) continue
          known.set(transaction, user, true)
          changed.set(group.id, 0)
        }
        for (const id of changed.keys()) changed.set(id, countUsers(state, transaction, id))
        return changed
      }),

    tagKeys: (projectId, keys) =>
      state.read((reader) => {
        const folded = new Set(keys.map(SearchQuery.foldKey))
        return Array.from(state.tagKeys.get(projectId)?.entries(reader) ?? [], ([key]) => key)
          .filter((key) => folded.has(SearchQuery.foldKey(key)))
          .sort()
          .slice(0, maxTagKeys)
      }),

    lockNext: (projectId, after, limit) =>
      state.read((reader) =>
        select(reader, state.groupIds.get(projectId)?.ascending(reader, after) ?? [], limit, () => true),
      ),

    lockExpiredMutes: (now, limit) =>
      state.read((reader) =>
        select(reader, state.deadlineIds.ascending(reader), limit, (group) =>
          GroupLifecycle.changed(group, GroupLifecycle.expireMutes(group, now)),
        ),
      ),
  }
}

// internal

const groupingKeyOf = ({ grouping, projectId }: Pick<Group, "grouping" | "projectId">): string =>
  keyOf(projectId, grouping.algorithm, grouping.key)

const hasDeadline = ({ mergedIntoId, mute, projectMute }: Group): boolean =>
  mergedIntoId === null &&
  (mute?.condition._tag === "Until" || (projectMute !== null && projectMute.until !== null))

/** Records a discarded group under all keys of its tree, and removes the oldest records of the project. */
const recordDiscarded = (
  { discardedKeys, groupByKey }: State,
  transaction: Transaction,
  projectId: ProjectId,
  tree: ReadonlySet<number>,
  discarded: DiscardedGroup,
): void => {
  for (const [key, id] of [...groupByKey.entries(transaction)]) {
    if (tree.has(id)) discardedKeys.set(transaction, key, discarded)
  }
  const prefix = keyOf(projectId, "")
  const known = Array.from(discardedKeys.entries(transaction)).filter(([key]) => key.startsWith(prefix))
  known.sort(([, self], [, that]) => that.at.epochMilliseconds - self.at.epochMilliseconds)
  for (const [key] of known.slice(maxDiscardedKeys)) discardedKeys.delete(transaction, key)
}

/** Empties the bodies of a group's reports and their attachments. Other bodies of the segments stay. */
const emptyBodies = (state: State, transaction: Transaction, id: GroupId): void => {
  for (const reportId of state.reportIds.get(id)?.ascending(transaction) ?? []) {
    const { place } = state.reports.get(transaction, reportId)!
    const attachments = state.attachments.get(transaction, reportId) ?? []
    for (const { position, segmentId } of [place, ...attachments.map(({ place }) => place)].filter(isPlace)) {
      const payloads = state.segments.get(transaction, segmentId)
      if (payloads === undefined) continue
      const emptied = payloads.map((payload, at) =>
        at === position ? { ...payload, eventId: "", body: new Uint8Array(0) } : payload,
      )
      state.segments.set(transaction, segmentId, emptied)
    }
  }
}

const isPlace = (place: PayloadPlace | null): place is PayloadPlace => place !== null

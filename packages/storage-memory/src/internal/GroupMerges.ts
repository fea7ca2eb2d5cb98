/** Merges and unmerges groups: changes roots and figures, and leaves all other data with its group. */
import { type Group, type GroupId, type GroupMerge, MergeId, type ProjectId } from "@errata/core"
import {
  figuresTogether,
  type GroupFigures,
  type GroupPart,
  type GroupStore,
  type Half,
  type LockedMerge,
} from "@errata/core/ports"
import { DateTime, Option } from "effect"
import { pageOf } from "./Pages.js"
import type { State } from "./State.js"
import type { Reader, Transaction } from "./Transaction.js"
import { treeOf } from "./Tree.js"
import { countUsers } from "./Users.js"

type GroupMerges = Pick<
  GroupStore["Service"],
  "addToParts" | "lockToMerge" | "merge" | "listMerges" | "lockMerge" | "unmerge"
>

/** `put` writes a group unchanged. */
export const make = (
  state: State,
  lock: GroupStore["Service"]["lock"],
  put: (transaction: Transaction, group: Group) => void,
): GroupMerges => {
  /** Null if some of the groups were deleted with their project. */
  const half = (reader: Reader, ids: ReadonlyArray<GroupId>): Half | null => {
    const parts = ids.map((id) => state.parts.get(reader, id)).filter((part) => part !== undefined)
    const [first, ...others] = parts
    return first === undefined || parts.length < ids.length
      ? null
      : { ...figuresTogether(first, others), hasMembers: ids.length > 1 }
  }

  const countGroups = (transaction: Transaction, projectId: ProjectId, change: number) => {
    const project = state.projects.get(transaction, projectId)
    if (project === undefined) return
    const groupsCount = project.groupsCount + change
    state.projects.set(transaction, project.id, { ...project, groupsCount })
  }

  const current = (reader: Reader, id: GroupId): Group => state.groups.get(reader, id)!

  /** The groups that a group was merged into, from its parent to the root. */
  const above = (reader: Reader, sourceId: GroupId): ReadonlyArray<GroupId> => {
    const mergeId = state.mergeBySource.get(reader, sourceId)
    if (mergeId === undefined) return []
    const { targetId } = state.merges.get(reader, mergeId)!
    return [targetId, ...above(reader, targetId)]
  }

  const mergesOf = (reader: Reader, rootId: GroupId): ReadonlyArray<GroupMerge> =>
    treeOf(state, reader, rootId)
      .slice(1)
      .flatMap((id) => {
        const mergeId = state.mergeBySource.get(reader, id)
        return mergeId === undefined ? [] : [state.merges.get(reader, mergeId)!]
      })

  /** A group in a tree and all groups that were merged into it. */
  const below = (reader: Reader, rootId: GroupId, id: GroupId): ReadonlyArray<GroupId> =>
    treeOf(state, reader, rootId).filter((other) => other === id || above(reader, other).includes(id))

  const moveTo = (transaction: Transaction, id: GroupId, before: GroupId | null, rootId: GroupId | null) => {
    if (before !== null) state.memberIds.of(before).remove(transaction, id)
    if (rootId !== null) state.memberIds.of(rootId).add(transaction, id)
  }

  const countNotes = (reader: Reader, rootId: GroupId): number => {
    let count = 0
    for (const id of treeOf(state, reader, rootId)) {
      for (const _ of state.noteIds.get(id)?.ascending(reader) ?? []) count++
    }
    return count
  }

  /** Saves a group with recounted notes and users. */
  const save = (transaction: Transaction, group: Group) => {
    const notesCount = countNotes(transaction, group.id)
    put(transaction, changed(group, { notesCount, usersCount: countUsers(state, transaction, group.id) }))
  }

  return {
    addToParts: (parts) =>
      state.write((transaction) => {
        for (const part of parts) {
          const before = state.parts.get(transaction, part.groupId)
          if (before === undefined) continue
          state.parts.set(transaction, part.groupId, figuresTogether(before, [figuresOf(part)]))
        }
      }),

    lockToMerge: (projectId, targetId, sourceIds) => lock(projectId, [targetId, ...sourceIds]),

    merge: (target, sources, by, now) =>
      state.write((transaction) => {
        for (const { id } of [target, ...sources]) {
          const group = current(transaction, id)
          if (!group.hasMembers) state.parts.set(transaction, id, figuresTogether(group, []))
        }
        for (const source of sources) {
          const id = MergeId.make(state.nextId("merge"))
          state.merges.set(transaction, id, {
            id,
            projectId: target.projectId,
            sourceId: source.id,
            targetId: target.id,
            mergedAt: now,
            mergedBy: by,
          })
          state.mergeBySource.set(transaction, source.id, id)
          for (const memberId of treeOf(state, transaction, source.id).slice(1)) {
            moveTo(transaction, memberId, source.id, target.id)
            put(transaction, changed(current(transaction, memberId), { mergedIntoId: target.id }))
          }
          moveTo(transaction, source.id, null, target.id)
          put(transaction, source)
        }
        save(transaction, target)
        countGroups(transaction, target.projectId, -sources.length)
      }),

    listMerges: (projectId, rootId, page) =>
      state.read((reader) => {
        const merges = new Map(
          mergesOf(reader, rootId)
            .filter((merge) => merge.projectId === projectId)
            .map((merge) => [merge.id, merge] as const),
        )
        const ids = [...merges.keys()]
          .filter((id) => page.cursor === null || id < page.cursor)
          .sort((a, b) => b - a)
        return pageOf(ids, page, (id) => {
          const merge = merges.get(MergeId.make(id))
          if (merge === undefined) return undefined
          const { culprit, errorMessage, errorType } = current(reader, merge.sourceId)
          return { ...merge, sourceTitle: { errorType, errorMessage, culprit } }
        })
      }),

    lockMerge: (projectId, id) =>
      state.read((reader): Option.Option<LockedMerge> => {
        const merge = state.merges.get(reader, id)
        if (merge === undefined || merge.projectId !== projectId) return Option.none()
        const between = above(reader, merge.sourceId)
        const rootId = between.at(-1) ?? merge.targetId
        const freedIds = below(reader, rootId, merge.sourceId)
        const freed = half(reader, freedIds)
        const rest = half(
          reader,
          treeOf(state, reader, rootId).filter((other) => !freedIds.includes(other)),
        )
        if (freed === null || rest === null) return Option.none()
        return Option.some({
          merge,
          root: current(reader, rootId),
          source: current(reader, merge.sourceId),
          between: between.slice(0, -1).map((id) => current(reader, id)),
          rest,
          freed,
          projectMute: state.projects.get(reader, projectId)?.mute ?? null,
        })
      }),

    unmerge: (merge, { between, root, source }) =>
      state.write((transaction) => {
        const freed = below(transaction, root.id, source.id)
        state.merges.delete(transaction, merge.id)
        state.mergeBySource.delete(transaction, source.id)
        for (const id of freed) {
          if (id === source.id) moveTo(transaction, id, root.id, null)
          else {
            moveTo(transaction, id, root.id, source.id)
            put(transaction, changed(current(transaction, id), { mergedIntoId: source.id }))
          }
        }
        for (const group of between) put(transaction, group)
        for (const group of [root, source]) {
          save(transaction, group)
          if (!group.hasMembers) state.parts.delete(transaction, group.id)
        }
        countGroups(transaction, root.projectId, 1)
      }),
  }
}

// internal

const figuresOf = (part: GroupPart): GroupFigures => ({
  ...part,
  firstOccurredAt: DateTime.makeUnsafe(part.firstOccurredAt),
  lastOccurredAt: DateTime.makeUnsafe(part.lastOccurredAt),
})

const changed = (group: Group, fields: Partial<Group>): Group => ({ ...group, ...fields })

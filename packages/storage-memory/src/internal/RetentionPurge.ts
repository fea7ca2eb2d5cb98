/** Removes rows by age. Memory has no partitions to drop. */
import type { Group, GroupId } from "@errata/core"
import { countTags } from "@errata/core/ports"
import { removeGroup } from "./ProjectPurge.js"
import { keyOf, type State } from "./State.js"
import type { Transaction } from "./Transaction.js"
import { treeOf } from "./Tree.js"

/** Removes the bodies that were received before a time, except those of the queue and of dead letters. */
const removeBodies = (state: State, transaction: Transaction, before: number) => {
  const needed = new Set<number>()
  for (const [, { segmentId }] of state.batches.entries(transaction)) needed.add(segmentId)
  for (const [, { place }] of state.deadLetters.entries(transaction)) needed.add(place.segmentId)
  for (const [id, payloads] of [...state.segments.entries(transaction)]) {
    const isOld = payloads.every(({ receivedAt }) => receivedAt < before)
    if (isOld && !needed.has(id)) state.segments.delete(transaction, id)
  }
}

export const purgeDetails = (state: State, transaction: Transaction, before: number): void => {
  for (const [id, row] of [...state.reports.entries(transaction)]) {
    if (row.createdAt.epochMilliseconds >= before) continue
    state.attachments.delete(transaction, id)
    if (row.resolution.frames === null) continue
    state.reports.set(transaction, id, { ...row, resolution: { ...row.resolution, frames: null } })
  }
  removeBodies(state, transaction, before)
}

/** Returns the number of removed reports. */
export const purgeReports = (state: State, transaction: Transaction, before: number): number => {
  let removed = 0
  const tagsOf = new Map<GroupId, Map<string, Map<string, number>>>()
  for (const [id, row] of [...state.reports.entries(transaction)]) {
    if (row.createdAt.epochMilliseconds >= before) continue
    const tags = tagsOf.get(row.groupId) ?? new Map<string, Map<string, number>>()
    tagsOf.set(row.groupId, tags)
    countTags(tags, row.event)
    state.reports.delete(transaction, id)
    state.attachments.delete(transaction, id)
    state.sourcemapQueue.delete(transaction, id)
    state.reportIds.of(row.groupId).remove(transaction, id)
    state.reportByEvent.delete(transaction, keyOf(row.projectId, row.event.eventId))
    removed++
  }
  for (const [groupId, tags] of tagsOf) takeOffTags(state, transaction, groupId, tags)
  removeBodies(state, transaction, before)
  return removed
}

/** Returns the number of removed groups. */
export const purgeGroups = (state: State, transaction: Transaction, before: number): number => {
  let removed = 0
  for (const [, group] of [...state.groups.entries(transaction)]) {
    if (group.mergedIntoId !== null || group.createdAt.epochMilliseconds >= before) continue
    const tree = treeOf(state, transaction, group.id)
    if (tree.some((id) => hasReports(state, transaction, id))) continue
    for (const id of tree) remove(state, transaction, state.groups.get(transaction, id)!)
    countGroups(state, transaction, group)
    removed++
  }
  return removed
}

// internal

const takeOffTags = (
  state: State,
  transaction: Transaction,
  groupId: GroupId,
  tags: ReadonlyMap<string, ReadonlyMap<string, number>>,
) => {
  const counts = state.groupTags.of(groupId)
  for (const [key, values] of tags) {
    for (const [value, count] of values) {
      const tag = keyOf(key, value)
      const left = (counts.get(transaction, tag) ?? 0) - count
      if (left > 0) counts.set(transaction, tag, left)
      else counts.delete(transaction, tag)
    }
  }
}

const hasReports = (state: State, transaction: Transaction, id: GroupId): boolean => {
  for (const _ of state.reportIds.get(id)?.ascending(transaction) ?? []) return true
  return false
}

const remove = (state: State, transaction: Transaction, group: Group) => {
  for (const noteId of [...(state.noteIds.get(group.id)?.ascending(transaction) ?? [])]) {
    state.notes.delete(transaction, noteId)
    state.noteIds.of(group.id).remove(transaction, noteId)
  }
  removeGroup(state, transaction, group)
}

const countGroups = (state: State, transaction: Transaction, { projectId }: Group) => {
  const project = state.projects.get(transaction, projectId)
  if (project === undefined) return
  const groupsCount = project.groupsCount - 1
  state.projects.set(transaction, projectId, { ...project, groupsCount })
}

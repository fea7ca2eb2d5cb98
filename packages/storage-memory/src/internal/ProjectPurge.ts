/** Removes the data of deleted projects in steps. */
import type { Group } from "@errata/core"
import type { DateTime } from "effect"
import { removeRelease } from "./Releases.js"
import type { Rows } from "./Rows.js"
import { keyOf, type State } from "./State.js"
import { removeAlone, removeDelivery } from "./Targets.js"
import type { Transaction } from "./Transaction.js"

/** Removes up to `limit` rows and returns their number. */
export const purge = (state: State, transaction: Transaction, limit: number, now: DateTime.Utc): number => {
  let total = 0
  for (const [projectId, deletedAt] of state.deletedProjects.entries(transaction)) {
    let removed = 0
    for (const remove of removals(state, transaction, projectId)) {
      if (total >= limit) return total
      remove()
      removed++
      total++
    }
    if (removed === 0 && deletedAt < now.epochMilliseconds - day) {
      state.deletedProjects.delete(transaction, projectId)
    }
  }
  return total
}

// internal

const day = 24 * 60 * 60 * 1000

/** Yields one removal per row, found lazily. A group comes after its contents. */
function* removals(state: State, transaction: Transaction, projectId: number): Generator<() => void> {
  for (const [, group] of state.groups.entries(transaction)) {
    if (group.projectId !== projectId) continue
    yield* partsOf(state, transaction, group)
    yield () => removeGroup(state, transaction, group)
  }
  for (const [id, event] of state.groupEvents.entries(transaction)) {
    if (event.projectId === projectId) yield () => state.groupEvents.delete(transaction, id)
  }
  const prefix = keyOf(projectId, "")
  for (const rows of [state.discarded, state.discardedKeys, state.hostedMaps]) {
    for (const [key] of rows.entries(transaction)) {
      if (key.startsWith(prefix)) yield () => rows.delete(transaction, key)
    }
  }
  const minutes = state.projectActivity.get(projectId)
  for (const [minute] of minutes?.entries(transaction) ?? []) {
    yield () => minutes?.delete(transaction, minute)
  }
  const tagKeys = state.tagKeys.get(projectId)
  for (const [key] of tagKeys?.entries(transaction) ?? []) {
    yield () => tagKeys?.delete(transaction, key)
  }
  for (const [, { release }] of state.releases.entries(transaction)) {
    if (release.projectId === projectId) yield () => removeRelease(state, transaction, release)
  }
  for (const id of state.originIds.get(projectId)?.ascending(transaction) ?? []) {
    const origin = state.origins.get(transaction, id)!
    yield () => {
      state.origins.delete(transaction, id)
      state.originIds.of(projectId).remove(transaction, id)
      state.originByText.delete(transaction, keyOf(projectId, origin.origin))
    }
  }
  for (const id of state.artifactBundleIds.get(projectId)?.ascending(transaction) ?? []) {
    yield () => {
      state.artifactBundles.delete(transaction, id)
      state.artifactBundleIds.of(projectId).remove(transaction, id)
    }
  }
  for (const targetId of state.targetIds.get(projectId)?.ascending(transaction) ?? []) {
    for (const id of state.deliveryIds.get(targetId)?.ascending(transaction) ?? []) {
      yield () => removeDelivery(state, transaction, targetId, id)
    }
    yield () => removeAlone(state, transaction, projectId, targetId)
  }
  yield* ofProject(state.alertStates, transaction, projectId)
  yield* ofProject(state.alertRules, transaction, projectId)
  yield* ofProject(state.notificationWindows, transaction, projectId)
  yield* ofProject(state.memberMail, transaction, projectId)
  for (const [id, payloads] of state.segments.entries(transaction)) {
    if (payloads[0]?.projectId === projectId) yield () => state.segments.delete(transaction, id)
  }
  for (const [id, row] of state.deadLetters.entries(transaction)) {
    if (row.projectId !== projectId) continue
    yield () => {
      state.deadLetters.delete(transaction, id)
      state.deadLetterIds.remove(transaction, id)
    }
  }
}

/** Removals of rows with the id of their project. */
function* ofProject<K, V extends { readonly projectId: number | null }>(
  rows: Rows<K, V>,
  transaction: Transaction,
  projectId: number,
): Generator<() => void> {
  for (const [key, row] of rows.entries(transaction)) {
    if (row.projectId === projectId) yield () => rows.delete(transaction, key)
  }
}

/** Removals of the reports, notes and tags of a group. */
export function* partsOf(
  state: State,
  transaction: Transaction,
  { id, projectId }: Group,
): Generator<() => void> {
  for (const reportId of state.reportIds.get(id)?.ascending(transaction) ?? []) {
    yield () => {
      const { eventId } = state.reports.get(transaction, reportId)!.event
      state.reports.delete(transaction, reportId)
      state.attachments.delete(transaction, reportId)
      state.sourcemapQueue.delete(transaction, reportId)
      state.reportByEvent.delete(transaction, keyOf(projectId, eventId))
      state.reportIds.of(id).remove(transaction, reportId)
    }
  }
  for (const noteId of state.noteIds.get(id)?.ascending(transaction) ?? []) {
    yield () => {
      state.notes.delete(transaction, noteId)
      state.noteIds.of(id).remove(transaction, noteId)
    }
  }
  const tags = state.groupTags.get(id)
  for (const [tag] of tags?.entries(transaction) ?? []) {
    yield () => tags?.delete(transaction, tag)
  }
}

/** Removes a group and its merge. Its other data must already be removed. */
export const removeGroup = (
  state: State,
  transaction: Transaction,
  { grouping, id, mergedIntoId, projectId }: Group,
) => {
  state.groupByKey.delete(transaction, keyOf(projectId, grouping.algorithm, grouping.key))
  for (const [key, groupId] of [...state.groupAliases.entries(transaction)]) {
    if (groupId !== id) continue
    state.groupAliases.delete(transaction, key)
    state.groupByKey.delete(transaction, key)
  }
  for (const [key] of [...state.groupTwins.entries(transaction)]) {
    if (key.startsWith(keyOf(id, ""))) state.groupTwins.delete(transaction, key)
  }
  const mergeId = state.mergeBySource.get(transaction, id)
  if (mergeId !== undefined) state.merges.delete(transaction, mergeId)
  state.mergeBySource.delete(transaction, id)
  state.parts.delete(transaction, id)
  const users = state.groupUsers.get(id)
  for (const [user] of [...(users?.entries(transaction) ?? [])]) users?.delete(transaction, user)
  const minutes = state.activity.get(id)
  for (const [minute] of [...(minutes?.entries(transaction) ?? [])]) minutes?.delete(transaction, minute)
  state.firstReleases.delete(transaction, id)
  if (mergedIntoId !== null) state.memberIds.of(mergedIntoId).remove(transaction, id)
  state.groups.delete(transaction, id)
  state.groupIds.of(projectId).remove(transaction, id)
  state.deadlineIds.remove(transaction, id)
}

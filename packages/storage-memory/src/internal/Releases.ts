/** Releases during recording, and their data. */
import { type ProjectId, type Release, ReleaseId } from "@errata/core"
import type { DateTime } from "effect"
import { keyOf, type State } from "./State.js"
import type { Transaction } from "./Transaction.js"

/** Returns a new release without storing it. */
export const newRelease = (
  state: State,
  projectId: ProjectId,
  version: string,
  now: DateTime.Utc,
): Release => ({
  id: ReleaseId.make(state.nextId("release")),
  projectId,
  version,
  status: "open",
  ref: null,
  url: null,
  startedAt: null,
  releasedAt: null,
  firstSeenAt: null,
  lastSeenAt: null,
  refs: [],
  commitsCount: 0,
  lastCommit: null,
  deploysCount: 0,
  lastDeployedAt: null,
  createdAt: now,
  updatedAt: now,
})

export const putRelease = (
  state: State,
  transaction: Transaction,
  release: Release,
  isAnnounced: boolean,
): void => {
  const key = keyOf(release.projectId, release.version)
  state.releases.set(transaction, key, { release, isAnnounced })
  if (state.releaseKeys.has(transaction, release.id)) return
  state.releaseKeys.set(transaction, release.id, key)
  state.releaseIds.of(release.projectId).add(transaction, release.id)
}

/** Returns the release of a report that is being recorded. Updates its last report once per hour. */
export const seenRelease = (
  state: State,
  transaction: Transaction,
  projectId: ProjectId,
  version: string,
  receivedAt: DateTime.Utc,
  now: DateTime.Utc,
): Release => {
  const known = state.releases.get(transaction, keyOf(projectId, version))
  const release = known?.release ?? newRelease(state, projectId, version, now)
  const isFirst =
    release.firstSeenAt === null || receivedAt.epochMilliseconds < release.firstSeenAt.epochMilliseconds
  const isRecent =
    release.lastSeenAt !== null && release.lastSeenAt.epochMilliseconds > now.epochMilliseconds - hour
  if (isRecent && !isFirst) return release
  const seen = { ...release, firstSeenAt: isFirst ? receivedAt : release.firstSeenAt, lastSeenAt: now }
  putRelease(state, transaction, seen, known?.isAnnounced ?? false)
  return seen
}

export const removeRelease = (
  state: State,
  transaction: Transaction,
  { id, projectId, version }: Release,
): void => {
  state.releases.delete(transaction, keyOf(projectId, version))
  state.releaseKeys.delete(transaction, id)
  state.releaseIds.of(projectId).remove(transaction, id)
  state.releaseCommits.delete(transaction, id)
  state.deploys.delete(transaction, id)
}

// internal

const hour = 60 * 60 * 1000

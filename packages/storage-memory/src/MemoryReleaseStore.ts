import { type Deploy, type Release, type ReleaseId, reservedTags } from "@errata/core"
import { lastCommitOf, type ReleaseFigures, type ReleaseStore } from "@errata/core/ports"
import { DateTime, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import { newRelease, putRelease, removeRelease } from "./internal/Releases.js"
import { keyOf, type State } from "./internal/State.js"
import type { Reader } from "./internal/Transaction.js"

export const make = (state: State): ReleaseStore["Service"] => {
  const byId = (reader: Reader, projectId: number, id: number): Release | undefined => {
    const key = state.releaseKeys.get(reader, id)
    const release = key === undefined ? undefined : state.releases.get(reader, key)?.release
    return release?.projectId === projectId ? release : undefined
  }

  const releasesOf = (reader: Reader, projectId: number): Array<Release> => {
    const found: Array<Release> = []
    for (const id of state.releaseIds.get(projectId)?.ascending(reader) ?? []) {
      const release = byId(reader, projectId, id)
      if (release !== undefined) found.push(release)
    }
    return found
  }

  const figuresOf = (reader: Reader, projectId: number, version: string): ReleaseFigures => {
    const tag = keyOf(reservedTags.release, version)
    let reports = 0
    let groups = 0
    let newGroups = 0
    for (const [id, group] of state.groups.entries(reader)) {
      if (group.projectId !== projectId) continue
      const count = state.groupTags.get(id)?.get(reader, tag) ?? 0
      if (count === 0) continue
      reports += count
      groups++
      if (state.firstReleases.get(reader, id) === version) newGroups++
    }
    return { reports, groups, newGroups }
  }

  return {
    upsert: (projectId, version, change, now) =>
      state.write((transaction) => {
        const known = state.releases.get(transaction, keyOf(projectId, version))
        const release = known?.release ?? newRelease(state, projectId, version, now)
        const { commits, ref, refs = release.refs, releasedAt, startedAt, status, url } = change
        if (commits !== undefined) state.releaseCommits.set(transaction, release.id, commits)
        const kept = commits ?? state.releaseCommits.get(transaction, release.id) ?? []
        const changed = {
          ...release,
          status: status ?? release.status,
          ref: ref === undefined ? release.ref : ref,
          url: url === undefined ? release.url : url,
          startedAt: startedAt === undefined ? release.startedAt : startedAt,
          releasedAt: releasedAt === undefined ? release.releasedAt : releasedAt,
          refs,
          commitsCount: kept.length,
          lastCommit: lastCommitOf(refs, kept),
          updatedAt: now,
        }
        putRelease(state, transaction, changed, known?.isAnnounced ?? true)
        return { release: changed, isNew: known === undefined }
      }),

    lockCount: (projectId) =>
      state.read(
        (reader) =>
          releasesOf(reader, projectId).filter(
            ({ version }) => state.releases.get(reader, keyOf(projectId, version))?.isAnnounced,
          ).length,
      ),

    find: (projectId, id) => state.read((reader) => Option.fromNullishOr(byId(reader, projectId, id))),

    findVersion: (projectIds, version) =>
      state.read((reader) =>
        [...new Set(projectIds)]
          .sort((a, b) => a - b)
          .flatMap((projectId) => state.releases.get(reader, keyOf(projectId, version))?.release ?? []),
      ),

    list: (projectId, page) =>
      state.read((reader) =>
        pageOf(state.releaseIds.get(projectId)?.descending(reader, page.cursor) ?? [], page, (id) =>
          byId(reader, projectId, id),
        ),
      ),

    newestVersions: (projectId, limit) =>
      state.read((reader) =>
        releasesOf(reader, projectId)
          .sort((a, b) => outAt(b) - outAt(a) || b.id - a.id)
          .slice(0, limit)
          .map(({ version }) => version),
      ),

    knownVersions: (projectId, versions) =>
      state.read((reader) =>
        [...new Set(versions)].filter((version) => state.releases.has(reader, keyOf(projectId, version))),
      ),

    firstSeen: (releases) =>
      state.read((reader) =>
        releases.map(
          ({ projectId, version }) =>
            state.releases.get(reader, keyOf(projectId, version))?.release.firstSeenAt?.epochMilliseconds ??
            null,
        ),
      ),

    figures: (projectId, versions) =>
      state.read((reader) => versions.map((version) => figuresOf(reader, projectId, version))),

    removeUnseen: (projectId, id) =>
      state.write((transaction) => {
        const release = byId(transaction, projectId, id)
        if (release === undefined || release.firstSeenAt !== null) return false
        removeRelease(state, transaction, release)
        return true
      }),

    commits: (projectId, id) =>
      state.read((reader) =>
        byId(reader, projectId, id) === undefined ? [] : (state.releaseCommits.get(reader, id) ?? []),
      ),

    addDeploy: (projectId, id, deploy, kept) =>
      state.write((transaction) => {
        const added: Deploy = { id: state.nextId("deploy"), ...deploy }
        const deploys = [added, ...(state.deploys.get(transaction, id) ?? [])].slice(0, kept)
        state.deploys.set(transaction, id, deploys)
        const release = byId(transaction, projectId, id)
        if (release !== undefined) put(transaction, release, deploys)
        return added
      }),

    deploys: (projectId, id: ReleaseId) =>
      state.read((reader) =>
        byId(reader, projectId, id) === undefined ? [] : (state.deploys.get(reader, id) ?? []),
      ),
  }

  function put(
    transaction: Parameters<typeof putRelease>[1],
    release: Release,
    deploys: ReadonlyArray<Deploy>,
  ): void {
    const last = Math.max(...deploys.map(({ finishedAt }) => finishedAt.epochMilliseconds))
    const { isAnnounced } = state.releases.get(transaction, keyOf(release.projectId, release.version))!
    putRelease(
      state,
      transaction,
      {
        ...release,
        deploysCount: deploys.length,
        lastDeployedAt: DateTime.makeUnsafe(last),
      },
      isAnnounced,
    )
  }
}

// internal

const outAt = ({ createdAt, releasedAt }: Release): number => (releasedAt ?? createdAt).epochMilliseconds

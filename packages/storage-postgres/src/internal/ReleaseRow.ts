/** Rows of `errata.releases` and its child tables. */
import type { Deploy, ProjectId, Release, ReleaseCommit, ReleaseId, ReleaseStatus } from "@errata/core"
import type { ReleaseRef } from "@errata/core/ports"
import * as Batch from "./Batch.js"
import * as Rows from "./Rows.js"
import { int4, int8, json, nullable, text, time } from "./SqlType.js"

const releaseRows = Rows.make({
  id: int8<ReleaseId>(),
  projectId: int8<ProjectId>(),
  version: text(),
  status: text<ReleaseStatus>(),
  ref: nullable(text()),
  url: nullable(text()),
  startedAt: nullable(time),
  releasedAt: nullable(time),
  firstSeenAt: nullable(time),
  lastSeenAt: nullable(time),
  refs: json<ReadonlyArray<ReleaseRef>>(),
  commitsCount: int4(),
  lastCommit: nullable(text()),
  /** Computed from `errata.release_deploys`. */
  deploysCount: int8(),
  lastDeployedAt: nullable(time),
  createdAt: time,
  updatedAt: time,
})

const deploysOf = (value: string) =>
  `(SELECT ${value} FROM errata.release_deploys AS d WHERE d.project_id = r.project_id AND d.release_id = r.id)`

/** Columns of rows called `r`. */
export const releaseColumns = releaseRows.select("r", {
  deploysCount: deploysOf("count(*)"),
  lastDeployedAt: deploysOf("max(d.finished_at)"),
})

export const toRelease = (row: object): Release => releaseRows.read(row)

/** A commit with its position in the list. */
export interface PlacedCommit extends ReleaseCommit {
  readonly position: number
}

const commit = {
  id: text(),
  repository: nullable(text()),
  message: nullable(text()),
  authorName: nullable(text()),
  authorEmail: nullable(text()),
  committedAt: nullable(time),
}

export const commits = Rows.make(commit)

export const insertedCommits = Batch.ofFields<PlacedCommit>({ position: int4(), ...commit })

const deployRows = Rows.make({
  id: int8(),
  environment: text(),
  name: nullable(text()),
  url: nullable(text()),
  startedAt: nullable(time),
  finishedAt: time,
})

export const deployColumns = deployRows.select()

export const toDeploy = (row: object): Deploy => deployRows.read(row)

/** Columns returned for a changed release. */
export const changed = Rows.make({ refs: json<ReadonlyArray<ReleaseRef>>() })

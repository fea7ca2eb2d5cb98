/** Array parameters of statements that write many groups. */
import type { GroupId } from "@errata/core"
import type { GroupLifecycle, GroupPart, GroupPlace } from "@errata/core/ports"
import * as Batch from "./Batch.js"
import * as Rows from "./Rows.js"
import { int8, millis, severity, text } from "./SqlType.js"

/** A candidate, or a group. */
type Keyed = Pick<GroupLifecycle.NewGroup, "grouping" | "projectId">

const ofCandidate = Rows.writtenFrom<Keyed>().once

const key = {
  projectId: ofCandidate(int8(), (candidate) => candidate.projectId),
  algorithm: ofCandidate(text(), (candidate) => candidate.grouping.algorithm),
  key: ofCandidate(text(), (candidate) => candidate.grouping.key),
}

/** Grouping keys of candidates. */
export const keysByPosition = Batch.make(key, "position")

export const places = Batch.ofFields<GroupPlace>({ projectId: int8(), groupId: int8() })

/** A group and its expected root. */
export interface Merged extends GroupPlace {
  readonly rootId: GroupId
}

export const merged = Batch.ofFields<Merged>({ projectId: int8(), groupId: int8(), rootId: int8() })

/** Figures to add to `errata.group_parts`. */
export const parts = Batch.ofFields<GroupPart>({
  projectId: int8(),
  groupId: int8(),
  severity,
  firstOccurredAt: millis,
  lastOccurredAt: millis,
  reportsCount: int8(),
})

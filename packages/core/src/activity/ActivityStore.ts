/** Report counts over time, for charts and alert rules. */
import { Context, type DateTime, type Effect } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"

/** New reports of a group that occurred in one minute. */
export interface ActivityCount {
  readonly projectId: ProjectId
  /** The group itself, even if merged: merges do not move counts. */
  readonly groupId: GroupId
  /** Minutes since 1970, UTC. */
  readonly minute: number
  readonly reports: number
  /** 1 if the group was created with these reports, else 0. */
  readonly newGroups: number
}

/** The length of time that one number of a series counts. */
export type ActivityStep = "minute" | "hour" | "day"

/** Minutes of a step. Steps are whole in UTC. */
export const stepMinutes: Readonly<Record<ActivityStep, number>> = { minute: 1, hour: 60, day: 24 * 60 }

/** From `since` on and before `until`, in minutes since 1970, both at the start of a step. */
export interface ActivityRange {
  readonly since: number
  readonly until: number
  readonly step: ActivityStep
}

/** Number of steps in a range. */
export const stepsOf = ({ since, step, until }: ActivityRange): number => (until - since) / stepMinutes[step]

/** One number for each step of a range. */
export interface ActivitySeries {
  /** Null for the project. */
  readonly groupId: GroupId | null
  readonly reports: ReadonlyArray<number>
  /** Null for a group. */
  readonly newGroups: ReadonlyArray<number> | null
}

/** Retention of counts, in days. Hours that are older are summed into days. */
export const kept = { minutes: 2, hours: 90, days: 731 } as const

/** Stores report counts per minute, hour and day. They are written with the tag counts (`GroupStore`). */
export class ActivityStore extends Context.Service<
  ActivityStore,
  {
    /**
     * The series of groups in the given order, or of the project without groups. A group includes the groups merged
     * into it. Unknown groups are all zeros. Everything recorded before the call is counted.
     */
    readonly series: (
      projectId: ProjectId,
      groupIds: ReadonlyArray<GroupId> | null,
      range: ActivityRange,
    ) => Effect.Effect<ReadonlyArray<ActivitySeries>, StorageError>

    /**
     * Groups with a minimum number of reports in a range, most first, at most `limit`. A group includes the groups
     * merged into it, which are not listed. Everything recorded before the call is counted.
     */
    readonly busiest: (
      projectId: ProjectId,
      range: ActivityRange,
      atLeast: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<{ readonly groupId: GroupId; readonly reports: number }>, StorageError>

    /**
     * Deletes expired minutes and days, and converts old hours to days, at most `limit` rows of each. Returns the
     * number of rows, 0 if none are left.
     */
    readonly forget: (now: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/activity/ActivityStore") {}

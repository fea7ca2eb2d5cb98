/** How many reports came in when: what charts show, and alert rules read. */
import { Context, type DateTime, type Effect } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { StorageError } from "../storage/StorageError.js"

/** New reports of a group that occurred in one minute. */
export interface ActivityCount {
  readonly projectId: ProjectId
  /** The group itself, also where it is merged: a merge moves no counts. */
  readonly groupId: GroupId
  /** Minutes since 1970, UTC. */
  readonly minute: number
  readonly reports: number
  /** 1 where the group began with them, else 0. */
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

/** How many steps a range has. */
export const stepsOf = ({ since, step, until }: ActivityRange): number => (until - since) / stepMinutes[step]

/** One number for each step of a range. */
export interface ActivitySeries {
  /** Null for the project. */
  readonly groupId: GroupId | null
  readonly reports: ReadonlyArray<number>
  /** Null for a group. */
  readonly newGroups: ReadonlyArray<number> | null
}

/** How long counts are kept, in days. Hours become days then. */
export const kept = { minutes: 2, hours: 90, days: 731 } as const

/** Keeps counts of reports by the minute, the hour and the day. They are written with the counts of tags (`GroupStore`). */
export class ActivityStore extends Context.Service<
  ActivityStore,
  {
    /**
     * The series of groups, in the order of their ids as they are given, or that of the project where there are none. A
     * group counts for those that it stands for; groups that the project does not have are all zeros. All that was
     * recorded before is counted.
     */
    readonly series: (
      projectId: ProjectId,
      groupIds: ReadonlyArray<GroupId> | null,
      range: ActivityRange,
    ) => Effect.Effect<ReadonlyArray<ActivitySeries>, StorageError>

    /**
     * Groups with at least so many reports in a range, most first, at most `limit`. Groups count for those that they stand for, and
     * merged ones are left out. All that was recorded before is counted.
     */
    readonly busiest: (
      projectId: ProjectId,
      range: ActivityRange,
      atLeast: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<{ readonly groupId: GroupId; readonly reports: number }>, StorageError>

    /**
     * Removes minutes and days that are older than they are kept, and makes days of old hours, up to so many rows of each.
     * Answers how many rows those were, and 0 where nothing is left to do.
     */
    readonly forget: (now: DateTime.Utc, limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/activity/ActivityStore") {}

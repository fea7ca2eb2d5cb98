import type { GroupId } from "@errata/core"
import {
  type ActivityCount,
  type ActivityRange,
  type ActivityStore,
  activityKept,
  stepMinutes,
  stepsOf,
} from "@errata/core/ports"
import type { ProjectMinute, State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"
import { treeOf } from "./internal/Tree.js"

export const make = (state: State): ActivityStore["Service"] => ({
  series: (projectId, groupIds, range) =>
    state.read((reader) => {
      if (groupIds === null) {
        const reports = zeros(range)
        const newGroups = zeros(range)
        for (const [minute, row] of state.projectActivity.get(projectId)?.entries(reader) ?? []) {
          add(reports, range, minute, row.reports)
          add(newGroups, range, minute, row.newGroups)
        }
        return [{ groupId: null, reports, newGroups }]
      }
      return groupIds.map((groupId) => {
        const isThere = state.groups.get(reader, groupId)?.projectId === projectId
        return {
          groupId,
          reports: isThere ? ofTree(state, reader, groupId, range) : zeros(range),
          newGroups: null,
        }
      })
    }),

  busiest: (projectId, range, atLeast, limit) =>
    state.read((reader) =>
      [...(state.groupIds.get(projectId)?.ascending(reader) ?? [])]
        .map((id) => {
          const groupId = id as GroupId
          return { groupId, reports: sum(ofTree(state, reader, groupId, range)) }
        })
        .filter(({ reports }) => reports > 0 && reports >= atLeast)
        .sort((self, that) => that.reports - self.reports || self.groupId - that.groupId)
        .slice(0, limit),
    ),

  // Deletes everything in one step, which is cheap in memory.
  forget: (now) =>
    state.write((transaction) => {
      const today = Math.floor(now.epochMilliseconds / 60_000 / day)
      let changed = 0
      for (const [, group] of state.groups.entries(transaction)) {
        changed += forget(state.activity.of(group.id), transaction, today, (a, b) => a + b)
      }
      for (const [projectId] of state.projects.entries(transaction)) {
        changed += forget(state.projectActivity.of(projectId), transaction, today, together)
      }
      return changed
    }),
})

/** Adds counts of new reports. */
export const count = (state: State, transaction: Transaction, counts: ReadonlyArray<ActivityCount>): void => {
  for (const { groupId, minute, newGroups, projectId, reports } of counts) {
    const ofGroup = state.activity.of(groupId)
    ofGroup.set(transaction, minute, (ofGroup.get(transaction, minute) ?? 0) + reports)
    const ofProject = state.projectActivity.of(projectId)
    const before = ofProject.get(transaction, minute) ?? { reports: 0, newGroups: 0 }
    ofProject.set(transaction, minute, together(before, { reports, newGroups }))
  }
}

// internal

const day = stepMinutes.day

const together = (a: ProjectMinute, b: ProjectMinute): ProjectMinute => ({
  reports: a.reports + b.reports,
  newGroups: a.newGroups + b.newGroups,
})

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

const zeros = (range: ActivityRange): Array<number> => Array.from({ length: stepsOf(range) }, () => 0)

const add = (sums: Array<number>, { since, step }: ActivityRange, minute: number, amount: number) => {
  const place = Math.floor((minute - since) / stepMinutes[step])
  if (place >= 0 && place < sums.length) sums[place]! += amount
}

const ofTree = (state: State, reader: Reader, rootId: GroupId, range: ActivityRange) => {
  const reports = zeros(range)
  for (const id of treeOf(state, reader, rootId)) {
    for (const [minute, amount] of state.activity.get(id)?.entries(reader) ?? []) {
      add(reports, range, minute, amount)
    }
  }
  return reports
}

/** Returns the minute that keeps the count of an old one, or null if it is no longer kept. */
const keeperOf = (minute: number, today: number): number | null => {
  const age = today - Math.floor(minute / day)
  if (age > activityKept.days) return null
  const span = age > activityKept.hours ? day : age > activityKept.minutes ? stepMinutes.hour : 1
  return minute - (minute % span)
}

const forget = <A>(
  rows: {
    readonly entries: (reader: Reader) => Iterable<readonly [number, A]>
    readonly get: (reader: Reader, minute: number) => A | undefined
    readonly set: (transaction: Transaction, minute: number, value: A) => void
    readonly delete: (transaction: Transaction, minute: number) => void
  },
  transaction: Transaction,
  today: number,
  sum: (a: A, b: A) => A,
): number => {
  let changed = 0
  for (const [minute, value] of [...rows.entries(transaction)]) {
    const keeper = keeperOf(minute, today)
    if (keeper === minute) continue
    rows.delete(transaction, minute)
    if (keeper !== null) {
      const before = rows.get(transaction, keeper)
      rows.set(transaction, keeper, before === undefined ? value : sum(before, value))
    }
    changed++
  }
  return changed
}

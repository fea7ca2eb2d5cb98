import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { GroupId } from "../../src/group/Group.js"
import * as GroupSort from "../../src/group/GroupSort.js"

const group = (id: number, time: string, reportsCount = 1) => ({
  id: GroupId.make(id),
  lastOccurredAt: DateTime.makeUnsafe(time),
  reportsCount,
  usersCount: reportsCount,
})

describe("the place of a group", () => {
  it("is its id in the order of the newest", () => {
    expect(GroupSort.placeOf("newest", group(42, "2026-01-01T00:00:00Z", 9))).toBe(42)
  })

  it("is an exact integer that reads back, for any time and any id", () => {
    for (const time of ["0001-01-01", "1999-12-31T23:59:59Z", "2026-11-25T08:30:00Z", "9999-12-31"]) {
      for (const id of [1, 2 ** 33 - 1]) {
        const place = GroupSort.placeOf("last_seen", group(id, time))
        expect(Number.isSafeInteger(place)).toBe(true)
        expect(GroupSort.readPlace(place)).toEqual({
          rank: GroupSort.hourOf(DateTime.makeUnsafe(time).epochMilliseconds),
          id,
        })
      }
    }
  })

  it("reads the largest cursor as the first place", () => {
    const { id, rank } = GroupSort.readPlace(Number.MAX_SAFE_INTEGER)
    expect([rank, id]).toEqual([2 ** 20 - 1, 2 ** 33 - 1])
    expect(new Date(GroupSort.startOfHour(rank)).toISOString()).toBe("2119-08-15T15:00:00.000Z")
  })

  it("changes only with the magnitude of the number of reports or users", () => {
    for (const sort of ["reports_count", "users_count"] as const) {
      const place = (count: number) => GroupSort.placeOf(sort, group(1, "2026-01-01", count))
      expect(place(10)).toBe(place(19))
      expect(place(20)).toBeGreaterThan(place(19))
      expect(place(0)).toBe(place(1))
    }
  })
})

it("sorts the groups of a page by exact values, and equal ones newest first", () => {
  const groups = [
    group(4, "2026-01-01T10:20:00Z", 2),
    group(3, "2026-01-01T10:40:00Z", 4),
    group(2, "2026-01-01T10:30:00Z", 4),
    group(1, "2026-01-01T09:59:00Z", 3),
  ]
  const ids = (sort?: GroupSort.GroupSort) => GroupSort.inExactOrder(groups, sort).map(({ id }) => id)
  expect(ids()).toEqual([4, 3, 2, 1])
  expect(ids("last_seen")).toEqual([3, 2, 4, 1])
  expect(ids("reports_count")).toEqual([3, 2, 1, 4])
  expect(ids("users_count")).toEqual([3, 2, 1, 4])
})

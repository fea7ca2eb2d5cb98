/** Digests: when they are due, and what they say. */

import { GroupStore, MemberMailStore, ProjectStore, Storage } from "@errata/core/ports"
import { advance, contractCase, Given } from "@errata/testing"
import { DateTime, Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Pipeline from "../../../testing/src/internal/Pipeline.js"
import * as DigestJob from "../../src/alert/DigestJob.js"
import { onStorages } from "../support/storages.js"
import { notificationsOf, withKinds } from "./support.js"

const at = (text: string) => DateTime.makeUnsafe(text)
const period = (...[digest, timezone, now]: [...Parameters<typeof DigestJob.lastPeriod>]) => {
  const { since, until } = DigestJob.lastPeriod(digest, timezone, now)
  return [DateTime.formatIso(since), DateTime.formatIso(until)]
}

describe("The period of a digest", () => {
  it("ends at 8:00 by the clocks of the project", () => {
    expect(period("daily", "UTC", at("2026-03-10T08:00:00Z"))).toEqual([
      "2026-03-09T08:00:00.000Z",
      "2026-03-10T08:00:00.000Z",
    ])
    expect(period("daily", "Asia/Tokyo", at("2026-03-10T22:59:59Z"))[1]).toBe("2026-03-09T23:00:00.000Z")
    expect(period("daily", "Asia/Tokyo", at("2026-03-10T23:00:00Z"))[1]).toBe("2026-03-10T23:00:00.000Z")
  })

  it("is an hour shorter or longer when the clocks change", () => {
    // In Berlin, summer time began on 2026-03-29.
    expect(period("daily", "Europe/Berlin", at("2026-03-29T12:00:00Z"))).toEqual([
      "2026-03-28T07:00:00.000Z",
      "2026-03-29T06:00:00.000Z",
    ])
  })

  it("is a week from Monday to Monday", () => {
    // 2026-03-09 is a Monday.
    expect(period("weekly", "UTC", at("2026-03-09T07:59:00Z"))[1]).toBe("2026-03-02T08:00:00.000Z")
    expect(period("weekly", "UTC", at("2026-03-09T08:00:00Z"))).toEqual([
      "2026-03-02T08:00:00.000Z",
      "2026-03-09T08:00:00.000Z",
    ])
    expect(period("weekly", "UTC", at("2026-03-15T23:00:00Z"))[1]).toBe("2026-03-09T08:00:00.000Z")
  })
})

onStorages("Digests", [
  contractCase(
    "are sent once to each subscribed person, except after a day without errors",
    Effect.gen(function* () {
      const { project, send } = yield* Pipeline.given
      const mail = yield* MemberMailStore
      const user = yield* Given.member([project.id])
      yield* Given.member([project.id])
      const groups = yield* GroupStore
      const storage = yield* Storage
      yield* mail.put(project.id, user.id, { mode: "nothing", digest: "daily" }, yield* DateTime.now)
      yield* withKinds(DigestJob.sendDue)
      expect(yield* notificationsOf(project.id)).toEqual([])
      yield* Pipeline.record(...Array.from({ length: 3 }, () => send({ group: "a", message: "first" })))
      yield* Pipeline.record(send({ group: "b", message: "second" }))
      const [newest] = yield* Pipeline.groupsOf(project.id)
      yield* advance("2 hours")
      yield* storage.transaction(
        Effect.gen(function* () {
          const [group] = yield* groups.lock(project.id, [newest!.id])
          yield* groups.save([
            { ...group!, resolution: { at: yield* DateTime.now, by: user.id, inRelease: null } },
          ])
        }),
      )
      yield* advance("24 hours")
      yield* Effect.all([withKinds(DigestJob.sendDue), withKinds(DigestJob.sendDue)], { concurrency: 2 })
      const [one, ...others] = yield* notificationsOf(project.id)
      expect(others).toEqual([])
      expect(one!.delivery).toMatchObject({ event: "notification.digest", userId: user.id })
      expect(one!.content.reason).toBe("2 new errors and 0 reopened in the last day")
      expect(one!.content.sections.map(({ lines, title }) => [title, lines.map(({ text }) => text)])).toEqual(
        [
          ["New", ["Error: second", "Error: first"]],
          ["Most reports", ["Error: first: 3 reports", "Error: second: 1 report"]],
          ["Resolved", ["1 error, 2 hours after they were created on average"]],
        ],
      )
      yield* advance("24 hours")
      yield* withKinds(DigestJob.sendDue)
      expect(yield* notificationsOf(project.id)).toHaveLength(1)
      const projects = yield* ProjectStore
      yield* projects.remove(project.id, yield* DateTime.now)
      yield* advance("24 hours")
      yield* withKinds(DigestJob.sendDue)
    }),
  ),
])

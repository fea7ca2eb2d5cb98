import { beforeEach, describe, expect, it, vi } from "vitest"

const calls: Array<readonly [string, ...ReadonlyArray<unknown>]> = []
let refuses: ((id: unknown) => boolean) | null = null
let holds: (() => Promise<void>) | null = null

const call =
  (name: string) =>
  async (...args: ReadonlyArray<unknown>) => {
    calls.push([name, ...args])
    await holds?.()
    if (refuses?.(args[1])) throw new Error("Refused")
  }

vi.mock("../src/data/client.js", () => ({
  request: async () => ({}),
  api: {
    groups: Object.fromEntries(
      [
        ...[
          "resolve",
          "unresolve",
          "bulkResolve",
          "bulkUnresolve",
          "mute",
          "unmute",
          "bulkMute",
          "bulkUnmute",
        ],
        ...["assign", "unassign", "bulkMerge"],
      ].map((name) => [name, call(name)]),
    ),
    merges: {
      list: async function* () {
        yield { id: 9, source_id: 2 }
        yield { id: 8, source_id: 77 }
      },
      undo: call("undoMerge"),
    },
  },
}))
vi.mock("../src/data/query.js", () => ({
  cache: { setQueryData: () => {}, invalidateQueries: async () => {} },
}))

const { remember, rowOf } = await import("../src/data/groups.js")
const { notices, undo } = await import("../src/data/notices.js")
const { assign, merge, setMute, setResolved, setResolvedIn } = await import("../src/data/triage.js")

const row = (id: number, fields: object = {}) =>
  ({
    ...{
      id,
      project_id: 1,
      error_type: "TypeError",
      error_message: `number ${id}`,
      resolved: false,
      resolved_at: null,
      muted: false,
      muted_at: null,
      muted_until: null,
    },
    ...{ muted_until_reports_count: null, mute_source: null, assignee_id: null, reports_count: 5 },
    ...fields,
  }) as never
const ref = (id: number, project_id = 1) => ({ project_id, id })
const shown = (id: number) => rowOf(ref(id))?.value
const texts = () => notices.value.map(({ text }) => text)

beforeEach(() => {
  calls.length = 0
  refuses = null
  holds = null
  notices.value = []
  remember([row(1), row(2, { assignee_id: 3 }), row(3, { project_id: 2 })])
})

describe("a decision about groups", () => {
  it("is shown immediately, and sends one request for each project", async () => {
    const done = setResolved([ref(1), ref(2), ref(3, 2)], true)
    expect(shown(1)?.resolved).toBe(true)
    await done
    expect(calls).toEqual([
      ["bulkResolve", 1, [1, 2]],
      ["bulkResolve", 2, [3]],
    ])
    expect(texts()).toEqual(["Resolved 3 groups."])
  })

  it("is rolled back if the server rejects it, and kept elsewhere", async () => {
    refuses = (id) => id === 2
    await assign([ref(1), ref(2)], 4, "Ada")
    expect([shown(1)?.assignee_id, shown(2)?.assignee_id]).toEqual([4, 3])
    expect(texts()).toEqual([
      "1 group not changed.\nTypeError: number 2: Refused.",
      "Assigned to Ada: 1 group.",
    ])
  })

  it("names the groups that were not changed, the first five of many", async () => {
    refuses = () => true
    const ids = Array.from({ length: 7 }, (_, at) => at + 1)
    remember(ids.map((id) => row(id)))
    await assign(
      ids.map((id) => ref(id)),
      4,
      "Ada",
    )
    expect(texts()).toEqual([
      [
        "7 groups not changed.",
        ...[1, 2, 3, 4, 5].map((id) => `TypeError: number ${id}: Refused.`),
        "And 2 more.",
      ].join("\n"),
    ])
  })

  it("changes at most 100 groups one by one, and more of them in bulk", async () => {
    const refs = Array.from({ length: 101 }, (_, at) => ref(at + 1))
    await assign(refs, 4, "Ada")
    expect(calls).toEqual([])
    expect(shown(1)?.assignee_id).toBeNull()
    expect(texts()).toEqual(["Select at most 100 groups for this action."])
    await assign(refs.slice(1), 4, "Ada")
    expect(calls).toHaveLength(100)
    await setResolved(refs, true)
    expect(calls.at(-1)).toEqual(["bulkResolve", 1, refs.map(({ id }) => id)])
  })

  it("sends at most six concurrent requests", async () => {
    let [running, most] = [0, 0]
    const waiting: Array<() => void> = []
    holds = () =>
      new Promise<void>((resolve) => {
        most = Math.max(most, ++running)
        waiting.push(() => {
          running--
          resolve()
        })
      })
    const done = assign(
      Array.from({ length: 20 }, (_, at) => ref(at + 1)),
      4,
      "Ada",
    )
    while (calls.length < 20 || waiting.length > 0) {
      waiting.shift()?.()
      await Promise.resolve()
    }
    await done
    expect(most).toBe(6)
  })

  it("restores each group's assignee when undone", async () => {
    await assign([ref(1), ref(2)], 4, "Ada")
    calls.length = 0
    await undo()
    expect(calls).toEqual([
      ["unassign", 1, 1],
      ["assign", 1, 2, 3],
    ])
    expect([shown(1)?.assignee_id, shown(2)?.assignee_id]).toEqual([null, 3])
  })

  it("is still shown after a poll with the former state", async () => {
    const done = setResolved([ref(1)], true)
    remember([row(1)])
    expect(shown(1)?.resolved).toBe(true)
    await done
    remember([row(1)])
    expect(shown(1)?.resolved).toBe(false)
  })

  it("mutes with a condition group by group, and permanently in bulk", async () => {
    await setMute([ref(1), ref(2)], { occurrences: 10 })
    await setMute([ref(1), ref(2)], {})
    expect(calls).toEqual([
      ["mute", 1, 1, { occurrences: 10 }],
      ["mute", 1, 2, { occurrences: 10 }],
      ["bulkMute", 1, [1, 2]],
    ])
  })

  it("resolves in a release, in bulk if no group is resolved", async () => {
    await setResolvedIn([ref(1), ref(2)], "next")
    expect([shown(1)?.resolved, shown(1)?.resolved_in_release]).toEqual([true, "next"])
    expect(texts()).toEqual(["Resolved 2 groups in the next release."])
    await setResolvedIn([ref(1), ref(3, 2)], "1.4.2")
    expect(calls).toEqual([
      ["bulkResolve", 1, [1, 2], undefined, { in_release: "next" }],
      ["resolve", 1, 1, { in_release: "1.4.2" }],
      ["resolve", 2, 3, { in_release: "1.4.2" }],
    ])
    expect(rowOf(ref(3, 2))?.value.resolved_in_release).toBe("1.4.2")
  })

  it("restores each group's resolution, with or without a release", async () => {
    remember([
      row(1, { resolved: true, resolved_in_release: "1.4.2" }),
      row(2, { resolved: true, resolved_in_release: null }),
    ])
    await setResolved([ref(1)], false)
    await undo()
    await setResolvedIn([ref(1), ref(2)], "next")
    await undo()
    expect(calls).toEqual([
      ["unresolve", 1, 1],
      ["resolve", 1, 1, { in_release: "1.4.2" }],
      ["resolve", 1, 1, { in_release: "next" }],
      ["resolve", 1, 2, { in_release: "next" }],
      ["resolve", 1, 1, { in_release: "1.4.2" }],
      ["unresolve", 1, 2],
      ["resolve", 1, 2],
    ])
  })

  it("mutes until the next release, and back", async () => {
    const until_release = "next" as const
    await setMute([ref(1), ref(2)], { until_release })
    expect(shown(1)?.muted_until_release).toBe("next")
    remember([row(1, { muted: true, muted_at: "2026-01-01T00:00:00Z", muted_until_release: "next" })])
    await setMute([ref(1), ref(2)], { until_release })
    await setMute([ref(1)], null)
    await undo()
    expect(calls).toEqual([
      ["bulkMute", 1, [1, 2], undefined, { until_release }],
      ["mute", 1, 1, { until_release }],
      ["mute", 1, 2, { until_release }],
      ["unmute", 1, 1],
      ["mute", 1, 1, { until_release }],
    ])
  })

  it("merges only ticked groups, and undoes only those merges", async () => {
    await merge(ref(1), [ref(2)])
    expect(calls).toEqual([["bulkMerge", 1, 1, [2]]])
    expect(shown(2)?.merged_into).toBe(1)
    await undo()
    expect(calls.at(-1)).toEqual(["undoMerge", 1, 1, 9])
    expect(calls.length).toBe(2)
    expect(shown(2)?.merged_into).toBeUndefined()
  })
})

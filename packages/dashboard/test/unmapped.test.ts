import { describe, expect, it, vi } from "vitest"

const statuses: Readonly<Record<number, string>> = {
  1: "resolved",
  2: "not_found",
  3: "queued",
  4: "blocked",
  5: "unprocessed",
}

const retried: Array<ReadonlyArray<number>> = []

vi.mock("../src/data/client.js", () => ({
  api: {
    groups: { list: async () => ({ groups: [1, 2, 3, 4, 5, 6].map((id) => ({ id })) }) },
    reports: {
      retrySourcemaps: async (...ids: Array<number>) => {
        retried.push(ids)
        if (ids[2] === 40) throw new Error("no map")
      },
      list: async (_project: number, id: number) => ({
        reports: id === 6 ? [] : [{ id: id * 10, sourcemap_status: statuses[id] }],
      }),
    },
  },
}))

const { mapAgain, unmappedQuery } = await import("../src/data/unmapped.js")

describe("the check for reports that are not mapped", () => {
  it("keeps those whose mapping ended without success, in the order of the groups", async () => {
    const found = await unmappedQuery(1).queryFn({ signal: new AbortController().signal })
    expect(found.map(({ report }) => report.id)).toEqual([20, 40])
  })

  const reports = [
    { project_id: 1, group_id: 2, id: 20 },
    { project_id: 1, group_id: 4, id: 40 },
  ]

  it("queues the reports again, each under its own group, and counts those without a map", async () => {
    expect(await mapAgain(reports as never)).toBe(1)
    expect(retried).toEqual([
      [1, 2, 20],
      [1, 4, 40],
    ])
  })

  it("fails if no report is queued", async () => {
    await expect(mapAgain([reports[1]] as never)).rejects.toThrow("no map")
  })
})

import { describe, expect, it, vi } from "vitest"

const statuses: Readonly<Record<number, string>> = {
  1: "resolved",
  2: "not_found",
  3: "queued",
  4: "blocked",
  5: "unprocessed",
}

vi.mock("../src/data/client.js", () => ({
  api: {
    groups: { list: async () => ({ groups: [1, 2, 3, 4, 5, 6].map((id) => ({ id })) }) },
    reports: {
      list: async (_project: number, id: number) => ({
        reports: id === 6 ? [] : [{ id: id * 10, sourcemap_status: statuses[id] }],
      }),
    },
  },
}))

const { unmappedQuery } = await import("../src/data/unmapped.js")

describe("the check for reports that are not mapped", () => {
  it("keeps those whose mapping ended without success, in the order of the groups", async () => {
    const found = await unmappedQuery(1).queryFn({ signal: new AbortController().signal })
    expect(found.map(({ report }) => report.id)).toEqual([20, 40])
  })
})

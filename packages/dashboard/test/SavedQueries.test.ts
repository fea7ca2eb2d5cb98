import { beforeEach, describe, expect, it, vi } from "vitest"
import {
  deleteQuery,
  maxQueries,
  parseQueries,
  renameQuery,
  savedPath,
  savedQueries,
  saveQuery,
} from "../src/data/savedQueries.js"

const stored = new Map<string, string>()
const storage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
}
const saved = { name: "mine", query: "assignee:me", sort: "newest" }
const names = () => savedQueries.value.map(({ name }) => name)

beforeEach(() => {
  stored.clear()
  savedQueries.value = []
  vi.stubGlobal("localStorage", storage)
})

describe("saved queries", () => {
  it("survive a reload", () => {
    expect(saveQuery(saved)).toBeNull()
    expect(parseQueries(stored.get("errata.queries") ?? null)).toEqual([saved])
  })

  it("replace one of the same name", () => {
    saveQuery(saved)
    saveQuery({ ...saved, name: " mine ", query: "is:muted" })
    expect(savedQueries.value).toEqual([{ ...saved, query: "is:muted" }])
  })

  it("are renamed and deleted", () => {
    saveQuery(saved)
    saveQuery({ ...saved, name: "other" })
    expect(renameQuery("mine", "other")).toBe("Another saved query has this name.")
    expect(renameQuery("mine", "ours")).toBeNull()
    expect(names()).toEqual(["ours", "other"])
    deleteQuery("ours")
    expect(names()).toEqual(["other"])
  })

  it("keep what another tab saved", () => {
    saveQuery(saved)
    stored.set("errata.queries", JSON.stringify([saved, { ...saved, name: "from a tab" }]))
    saveQuery({ ...saved, name: "third" })
    expect(names()).toEqual(["mine", "from a tab", "third"])
  })

  it("are bounded in number and length", () => {
    for (let i = 0; i < maxQueries; i++) saveQuery({ ...saved, name: `n${i}` })
    expect(saveQuery(saved)).toContain("Delete one first")
    expect(saveQuery({ ...saved, name: "n0" })).toBeNull()
    expect(saveQuery({ ...saved, name: "n0", query: "x".repeat(1_001) })).toBe("The query is too long.")
    expect(saveQuery({ ...saved, name: "  " })).toBe("Enter a name.")
    renameQuery("n1", "y".repeat(100))
    expect(names()).toContain("y".repeat(60))
  })

  it("exist until the page closes if the browser stores nothing", () => {
    vi.stubGlobal("localStorage", undefined)
    expect(saveQuery(saved)).toContain("does not store")
    expect(names()).toEqual(["mine"])
  })
})

describe("the stored text", () => {
  it("is ignored if it is invalid", () => {
    expect(parseQueries("{")).toEqual([])
    expect(parseQueries('{"a":1}')).toEqual([])
    expect(parseQueries(JSON.stringify([null, 1, { name: "a" }, { ...saved, extra: 1 }, saved]))).toEqual([
      saved,
    ])
    const many = Array.from({ length: 80 }, (_, i) => ({ ...saved, name: `n${i}` }))
    expect(parseQueries(JSON.stringify(many))).toHaveLength(maxQueries)
  })
})

describe("the path of a saved query", () => {
  it("opens the list of the project, or all groups", () => {
    expect(savedPath(saved, 2)).toBe("projects/2/groups?query=assignee%3Ame&sort=newest")
    expect(savedPath(saved, Number.NaN)).toBe("groups?query=assignee%3Ame&sort=newest")
  })
})

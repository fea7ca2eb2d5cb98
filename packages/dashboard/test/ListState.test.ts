import { describe, expect, it } from "vitest"
import { append, poll, remove, reveal, start } from "../src/pages/groups/ListState.js"

const page = (keys: string, hasMore = false) => ({
  keys: [...keys],
  cursor: hasMore ? 7 : null,
  hasMore,
})
const heading = () => "now"
const texts = ({ gone, shown, waiting }: ReturnType<typeof start>) => [
  shown.join(""),
  waiting.join(""),
  [...gone].join(""),
]

describe("a list that is polled", () => {
  const first = start(page("abc", true), heading)

  it("keeps its rows in place, and holds new ones back", () => {
    expect(texts(poll(first, page("xbca", true)))).toEqual(["abc", "x", ""])
  })

  it("marks rows that no longer match", () => {
    expect(texts(poll(first, page("ac", true)))).toEqual(["abc", "", "b"])
    expect(texts(poll(start(page("abc"), heading), page("ab")))).toEqual(["abc", "", "c"])
  })

  it("does not mark rows that may be on the next page now", () => {
    expect(texts(poll(first, page("xya", true)))).toEqual(["abc", "xy", ""])
    expect(texts(poll(first, page("xyz", true)))).toEqual(["abc", "xyz", ""])
  })

  it("does not show rows as new that moved up from the next page", () => {
    expect(texts(poll(first, page("acd", true)))).toEqual(["abc", "", "b"])
  })

  it("unmarks a row that matches again", () => {
    expect(texts(poll(poll(first, page("ac", true)), page("abc", true)))).toEqual(["abc", "", ""])
  })

  it("uses the server's order when the reader shows new rows", () => {
    const polled = poll(first, page("xac", true))
    expect(texts(polled)).toEqual(["abc", "x", "b"])
    expect(texts(reveal(polled, heading))).toEqual(["xac", "", ""])
  })

  it("keeps loaded pages after the new rows", () => {
    const longer = append(first, page("cde"), heading)
    expect(texts(longer)).toEqual(["abcde", "", ""])
    expect(texts(reveal(poll(longer, page("xab", true)), heading))).toEqual(["xabcde", "", ""])
  })

  it("keeps the heading that a row was placed under until then", () => {
    let now = "this hour"
    const list = start(page("ab"), () => now)
    now = "last hour"
    const polled = poll(list, page("ab"))
    expect(polled.headings.get("a")).toBe("this hour")
    expect(reveal(polled, () => now).headings.get("a")).toBe("last hour")
  })

  it("forgets groups that are no longer there", () => {
    expect(texts(remove(first, new Set(["b"])))).toEqual(["ac", "", ""])
  })
})

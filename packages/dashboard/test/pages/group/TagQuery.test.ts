import { describe, expect, it } from "vitest"
import { queryForTag } from "../../../src/pages/group/TagQuery.js"

describe("queryForTag", () => {
  it("adds the filter of a tag to a query", () => {
    expect(queryForTag("region", "eu", "is:unresolved")).toBe("is:unresolved tags.region:eu")
  })

  it("uses the special filters for environment, release and server", () => {
    expect(queryForTag("environment", "production")).toBe("environment:production")
  })

  it("quotes keys and values with special characters", () => {
    expect(queryForTag("my key", 'a "b"')).toBe('tags."my key":"a \\"b\\""')
  })
})

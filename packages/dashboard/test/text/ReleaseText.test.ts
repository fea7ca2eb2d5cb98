import { describe, expect, it } from "vitest"
import { releaseText, resolvedText } from "../../src/text/ReleaseText.js"

describe("the words of a resolution", () => {
  it("name the release that has the fix", () => {
    const text = (resolved: boolean, resolved_in_release: string | null) =>
      resolvedText({ resolved, resolved_in_release })
    expect(text(false, null)).toBeNull()
    expect(text(true, null)).toBe("resolved")
    expect(text(true, "next")).toBe("resolved in the next release")
    expect(text(true, "shop@1.4.2")).toBe("resolved in shop@1.4.2")
  })

  it("are cut if a version is long, and are one line", () => {
    expect(releaseText("x".repeat(200)).length).toBeLessThanOrEqual(61)
    expect(releaseText("a\nb")).not.toContain("\n")
  })
})

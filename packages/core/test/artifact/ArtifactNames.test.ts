import { describe, expect, it } from "vitest"
import { fileNameProblem, releaseProblem } from "../../src/artifact/ArtifactNames.js"

describe("names", () => {
  it("count characters, not UTF-16 code units", () => {
    expect(fileNameProblem("🌍".repeat(2000))).toBeNull()
    expect(fileNameProblem("🌍".repeat(2001))).toBe("must have 1 to 2000 characters")
    expect(fileNameProblem("")).toBe("must have 1 to 2000 characters")
    expect(releaseProblem("a".repeat(200))).toBeNull()
    expect(releaseProblem("ü".repeat(200))).toBe("is too long (maximum is 250 bytes)")
  })

  it("are rejected by their length before they are split into characters", () => {
    // Spread into characters, this one would take gigabytes.
    const huge = "\0".repeat(2 ** 28)
    expect(fileNameProblem(huge)).toBe("must have 1 to 2000 characters")
    expect(releaseProblem(huge)).toBe("must have 1 to 200 characters")
  })
})

import { describe, expect, it } from "vitest"
import { codingOf } from "../../src/AcceptedCoding.js"

describe("the coding of an answer", () => {
  it.each([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP;q=0.5, br;q=0.1", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["gzip;q=0, *", "br"],
    ["*;q=0", "identity"],
    ["identity", "identity"],
    ["deflate", "identity"],
  ])("for %s is %s", (accepted, coding) => {
    expect(codingOf(accepted)).toBe(coding)
  })
})

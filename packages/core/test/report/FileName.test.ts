import { describe, expect, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { safeFileName } from "../../src/index.js"

const safe = (name: string) => safeFileName(name, "attachment-1")

describe("names of files that strangers chose", () => {
  it("stay unchanged if they are safe", () => {
    for (const name of [
      "crash.dmp",
      "größe 🌍.txt",
      "a b (1).log",
      "日本語.png",
      "noextension",
      "it's 100%.txt",
    ]) {
      expect(safe(name)).toBe(name)
    }
  })

  it("lose paths, control characters and reserved names", () => {
    expect(safe("../../etc/passwd")).toBe("_.._etc_passwd")
    expect(safe("C:\\a\\b.exe")).toBe("C__a_b.exe")
    expect(safe(".bashrc")).toBe("bashrc")
    expect(safe("-rf")).toBe("rf")
    expect(safe("a.txt. .")).toBe("a.txt")
    expect(safe("a\0b\nc\u202Ed\u200B.txt")).toBe("a_b_c_d_.txt")
    expect(safe("NUL.txt")).toBe("_NUL.txt")
    expect(safe("com1")).toBe("_com1")
    expect(safe("console.log")).toBe("console.log")
  })

  it("are replaced if nothing is left", () => {
    for (const name of ["", ".", "..", "...", "/", "\u202E", "- -"]) expect(safe(name)).toBe("attachment-1")
  })

  it("are cut in the middle, between characters", () => {
    expect(safe(`${"x".repeat(300)}.log`)).toBe(`${"x".repeat(196)}.log`)
    expect(safe(`${"🌍".repeat(100)}.log`)).toBe(`${"🌍".repeat(49)}.log`)
  })

  it("are safe for any input, and do not change again", () => {
    const { assert, property, string } = FastCheck
    assert(
      property(string({ unit: "binary", maxLength: 400 }), (name) => {
        const result = safe(name)
        expect(result).toMatch(/^[^/\\:*?"<>|\p{C}]+$/u)
        expect(result).not.toMatch(/^[.\s-]|[.\s]$/)
        expect(Buffer.byteLength(result)).toBeLessThanOrEqual(201)
        expect(safe(result)).toBe(result)
      }),
    )
  })
})

import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ageOf, type VersionAge } from "../../src/release/ReleaseVersion.js"

/** Versions from the oldest to the newest. */
const ascending = [
  "0.9.9",
  "1.0.0-1",
  "1.0.0-2",
  "1.0.0-10",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc.1",
  "1.0.0",
  "1.0.1",
  "1.2.0",
  "1.10.0",
  "1.10.0.1",
  "2.0",
  "2024.01.15",
  "2024.2.1",
  `${"9".repeat(40)}.0`,
]

const opposite: Readonly<Record<VersionAge, VersionAge>> = {
  older: "newer",
  newer: "older",
  same: "same",
  other: "other",
  unknown: "unknown",
}

const number = fc.oneof(fc.nat({ max: 12 }).map(String), fc.constantFrom("01", "9007199254740993"))
const identifier = fc.oneof(number, fc.constantFrom("alpha", "beta", "rc-1", "x"))
const version = fc
  .tuple(
    fc.constantFrom("", "v"),
    fc.array(number, { minLength: 2, maxLength: 4 }),
    fc.array(identifier, { maxLength: 3 }),
    fc.constantFrom("", "+1", "+2", "+10", "+abc"),
  )
  .map(
    ([v, numbers, pre, build]) =>
      `${v}${numbers.join(".")}${pre.length === 0 ? "" : `-${pre.join(".")}`}${build}`,
  )
const release = fc
  .tuple(fc.constantFrom("", "shop@", "@acme/web@"), fc.oneof(version, fc.string({ unit: "grapheme" })))
  .map(([name, version]) => `${name}${version}`)

describe("the age of a version", () => {
  it("compares semantic versions, with or without a name", () => {
    for (const [i, older] of ascending.entries()) {
      for (const newer of ascending.slice(i + 1)) {
        for (const name of ["", "v", "shop@", "@acme/web@", "com.example.app@"]) {
          expect(ageOf(`${name}${older}`, `${name}${newer}`), `${older} ${newer}`).toBe("older")
          expect(ageOf(`${name}${newer}`, `${name}${older}`), `${newer} ${older}`).toBe("newer")
        }
      }
    }
  })

  it("does not depend on the notation of a version", () => {
    for (const [one, other] of [
      ["1.2", "1.2.0.0"],
      ["v1.2.3", "1.2.3"],
      ["1.02.3", "1.2.3"],
      ["1.2.3", "shop@1.2.3"],
      ["1.2.3+abc", "1.2.3+abc"],
      ["", ""],
    ] as const) {
      expect(ageOf(one, other), `${one} ${other}`).toBe("same")
    }
  })

  it("compares builds that are numbers", () => {
    expect(ageOf("shop@1.2.3+9", "shop@1.2.3+10")).toBe("older")
    expect(ageOf("shop@1.2.3+10", "shop@1.2.4+1")).toBe("older")
    expect(ageOf("1.2.3+abc", "1.2.3+abd")).toBe("unknown")
    expect(ageOf("1.2.3", "1.2.3+1")).toBe("unknown")
  })

  it("is unknown if one of them is not a semantic version", () => {
    for (const other of [
      "4f2a9c1",
      "1234567",
      "7",
      "main",
      "1.x",
      "1.2.3.4.5",
      "1.2.3-",
      "1.2.3-ä",
      "-1.2",
      "@",
      "next",
    ]) {
      expect(ageOf(other, "1.2.3"), other).toBe("unknown")
      expect(ageOf("1.2.3", other), other).toBe("unknown")
    }
    expect(ageOf("shop@4f2a9c1", "shop@1.2.3")).toBe("unknown")
  })

  it("compares only within an application", () => {
    expect(ageOf("api@1.0.0", "web@2.0.0")).toBe("other")
    expect(ageOf("@acme/api@1.0.0", "@acme/web@2.0.0")).toBe("other")
    expect(ageOf("api@4f2a9c1", "web@4f2a9c1")).toBe("other")
    expect(ageOf("1.0.0", "web@2.0.0")).toBe("older")
    expect(ageOf("web@2.0.1", "2.0.0")).toBe("newer")
  })

  it("is reversed if the versions are swapped", () => {
    fc.assert(
      fc.property(release, release, (a, b) => {
        expect(ageOf(b, a)).toBe(opposite[ageOf(a, b)])
        expect(ageOf(a, a)).toBe("same")
      }),
      { seed: 20_260_101, numRuns: 2_000 },
    )
  })

  it("is transitive", () => {
    const isAtMost = (a: string, b: string) => ["older", "same"].includes(ageOf(a, b))
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        fc.pre(isAtMost(a, b) && isAtMost(b, c))
        const age = ageOf(a, c)
        // Of equal precedence, builds that are no numbers are not compared.
        expect(["older", "same", "unknown"]).toContain(age)
        if (ageOf(a, b) === "older" && ageOf(b, c) === "older") expect(age).toBe("older")
      }),
      { seed: 20_260_101, numRuns: 5_000 },
    )
  })

  it("is computed quickly for long names", () => {
    const long = `1.${"0".repeat(100_000)}`
    expect(ageOf(`${long}-${"a.".repeat(50_000)}a`, `${long}-${"a.".repeat(50_000)}b`)).toBe("older")
    expect(ageOf(`1.2-${"a".repeat(100_000)}!`, "1.2")).toBe("unknown")
  })
})

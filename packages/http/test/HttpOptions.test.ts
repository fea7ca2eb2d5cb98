import { describe, expect, it } from "vitest"
import { settingsOf, withoutBasePath } from "../src/HttpOptions.js"

describe("HttpOptions", () => {
  const settings = (options: Parameters<typeof settingsOf>[0]) => settingsOf(options, () => "http://fallback")

  it("separates the path from the base URL", () => {
    const { basePath, baseUrl } = settings({ baseUrl: "https://errors.example/team/errata//" })
    expect([baseUrl(), basePath]).toEqual(["https://errors.example/team/errata", "/team/errata"])
    expect(settings({ baseUrl: "https://errors.example/" }).basePath).toBe("")
    expect(settings({}).baseUrl()).toBe("http://fallback")
  })

  it("accepts prefixes with and without slashes", () => {
    expect(settings({ dsnPrefixes: ["a", "/b/", "//c/d//", "/", ""] }).dsnPrefixes).toEqual([
      "/a",
      "/b",
      "/c/d",
    ])
  })

  it("finds the URL below the base path", () => {
    expect(withoutBasePath("/errata/up?x", "/errata")).toBe("/up?x")
    expect(withoutBasePath("/up", "/errata")).toBe("/up")
    expect(withoutBasePath("/errataup", "/errata")).toBe("/errataup")
    expect(withoutBasePath("/errata", "/errata")).toBe("/")
    expect(withoutBasePath("/errata/", "/errata")).toBe("/")
    expect(withoutBasePath("/errata?x", "/errata")).toBe("/?x")
    expect(withoutBasePath("/up", "")).toBe("/up")
  })
})

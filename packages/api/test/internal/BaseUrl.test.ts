import { describe, expect, it } from "vitest"
import { isApiKey, isPathSegment, normalBaseUrl } from "../../src/internal/BaseUrl.js"

describe("normalBaseUrl", () => {
  it.each([
    ["https://errata.example.com", "https://errata.example.com"],
    ["https://errata.example.com///", "https://errata.example.com"],
    ["HTTP://LOCALHOST:9000/errors/", "http://localhost:9000/errors"],
    ["https://errata.example.com:443", "https://errata.example.com"],
    ["http://[::1]:80/a/b", "http://[::1]/a/b"],
  ])("%s is %s", (text, url) => {
    expect(normalBaseUrl(text)).toBe(url)
  })

  it.each([
    "",
    "errata.example.com",
    "/api",
    "ftp://errata.example.com",
    "https://user@errata.example.com",
    "https://user:secret@errata.example.com",
    "https://errata.example.com?a=1",
    "https://errata.example.com#top",
  ])("%j is no base URL", (text) => {
    expect(normalBaseUrl(text)).toBeNull()
  })
})

it("keys have only characters that are valid in a header", () => {
  expect(isApiKey("errata_0aZ-._~")).toBe(true)
  for (const text of ["", "a b", "a\nb", "ключ", "a\0b", "é"]) expect(isApiKey(text)).toBe(false)
})

it("dots and the empty text are not valid ids", () => {
  for (const text of ["", ".", ".."]) expect(isPathSegment(text)).toBe(false)
  for (const text of ["...", "a.b", "1"]) expect(isPathSegment(text)).toBe(true)
})

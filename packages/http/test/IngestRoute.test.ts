import { describe, expect, it } from "vitest"
import * as IngestRoute from "../src/IngestRoute.js"

describe("IngestRoute", () => {
  const match = IngestRoute.matcher(["", "/errata", "/sentry/in"])

  it.each([
    ["/api/1/envelope/", "envelope", "1", ""],
    ["/api/1/envelope", "envelope", "1", ""],
    ["/api/123456/store/", "store", "123456", ""],
    ["/api/1/security/?sentry_key=k", "security", "1", "sentry_key=k"],
    ["/api/1/csp-report?x", "security", "1", "x"],
    ["/api/1/nel/", "nel", "1", ""],
    ["/api/store/", "store", null, ""],
    ["/api/store?a=/b/", "store", null, "a=/b/"],
    ["/api/abc/envelope/", "envelope", "abc", ""],
    ["/errata/api/1/envelope/", "envelope", "1", ""],
    ["/sentry/in/api/store/", "store", null, ""],
  ])("matches %s", (url, endpoint, projectId, query) => {
    expect(match(url)).toEqual({ endpoint, projectId, query })
  })

  it.each(["/api/embed/error-page/?x", "/api/embed/error-page?x", "/sentry/in/api/embed/error-page/?x"])(
    "matches the report dialog at %s",
    (url) => {
      expect(match(url)).toEqual({ endpoint: "error-page", query: "x" })
    },
  )

  it.each([
    "/",
    "/api/embed/",
    "/api/embed/error-page/x",
    "/api/embed/error-pages/",
    "/api",
    "/api/",
    "/api/1",
    "/api/1/",
    "/api/1/envelope/x",
    "/api/1/envelope//",
    "/api//envelope/",
    "/api/1/other/",
    "/api/envelope/",
    "/api/stores/",
    "/api/service/v1/projects/1/groups",
    "/api/store/v1/projects",
    "/other/api/1/envelope/",
    "/errata",
    "/erratax/api/1/envelope/",
    "?/api/1/envelope/",
    "/x?/api/1/envelope/",
    "/api/1?/envelope/",
  ])("does not match %s", (url) => {
    expect(match(url)).toBeNull()
  })
})

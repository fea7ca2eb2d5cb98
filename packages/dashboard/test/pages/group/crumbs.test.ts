import { describe, expect, it } from "vitest"
import { crumbsOf } from "../../../src/pages/group/crumbs.js"

const occurredAt = "2026-11-23T18:02:11.000Z"

describe("crumbsOf", () => {
  it("shows the last ten, the oldest first", () => {
    const breadcrumbs = Array.from({ length: 12 }, (_, i) => ({ message: `m${i}` }))
    const crumbs = crumbsOf(breadcrumbs, occurredAt, false)
    expect(crumbs).toHaveLength(10)
    expect(crumbs[0]?.message).toBe("m2")
    expect(crumbsOf(breadcrumbs, occurredAt, true)).toHaveLength(12)
  })

  it("describes a request, and keeps the rest of its data", () => {
    const data = { method: "POST", url: "/cart", status_code: 500, reason: "boom" }
    expect(
      crumbsOf([{ category: "http", timestamp: "2026-11-23T18:02:07.800Z", data }], occurredAt, false),
    ).toMatchObject([
      { offset: "−3.2 s", category: "http", message: "POST /cart → 500", data: { reason: "boom" } },
    ])
  })

  it("keeps all data beside a message", () => {
    expect(
      crumbsOf([{ type: "default", message: "hi", data: { url: "/x" } }], occurredAt, false),
    ).toMatchObject([{ category: "default", message: "hi", data: { url: "/x" }, offset: "" }])
  })
})

import { describe, expect, it } from "vitest"
import { makeErrorEvent } from "../../src/event/ErrorEventBuilder.js"

const minimal = { eventId: "a".repeat(32), occurredAt: 1_750_000_000_000 }

describe("an event that is made of its parts", () => {
  it("needs an id and a time", () => {
    expect(makeErrorEvent(minimal)).toMatchObject({
      ...minimal,
      platform: "other",
      severity: "error",
      handled: true,
      serverName: "",
      tags: [],
      details: { custom_fingerprint: null, exceptions: [], user: { email: "" }, request: { url: "" } },
    })
  })

  it("keeps given fields, and fills the rest of its user and request", () => {
    const { details, handled, severity } = makeErrorEvent({
      ...minimal,
      severity: "fatal",
      exceptions: [{ type: "TypeError", mechanism: { handled: false }, frames: [] }],
      user: { email: "a@example.com" },
      request: { method: "POST" },
    })
    expect({ severity, handled }).toEqual({ severity: "fatal", handled: false })
    expect(details.user).toMatchObject({ email: "a@example.com", user_id: "" })
    expect(details.request).toMatchObject({ method: "POST", url: "" })
    expect(details.exceptions).toHaveLength(1)
  })

  it("replaces characters that cannot be stored, and drops undefined fields", () => {
    const { details, release } = makeErrorEvent({
      ...minimal,
      release: "1.0\0",
      exceptions: [{ value: "half \uD800", frames: [{ vars: { "a\0": ["b\0"] } }] }],
      extras: [{ key: "order", value: { id: 7 } }],
      ...({ transaction: undefined } as object),
    })
    expect(release).toBe("1.0\uFFFD")
    expect(details.exceptions).toEqual([
      { value: "half \uFFFD", frames: [{ vars: { "a\uFFFD": ["b\uFFFD"] } }] },
    ])
    expect(details.extras).toEqual([{ key: "order", value: { id: 7 } }])
    expect(details.transaction).toBe("")
  })
})

import { describe, expect, it } from "vitest"
import { defaultPolicy, nextWait, type Outcome, retryAfterMillis } from "../../src/internal/Retries.js"

const now = Date.parse("2026-01-02T03:04:05Z")

describe("retryAfterMillis", () => {
  it.each([
    ["0", 0],
    ["5", 5_000],
    [" 120 ", 120_000],
    ["Fri, 02 Jan 2026 03:04:15 GMT", 10_000],
    ["Friday, 02-Jan-26 03:04:15 GMT", 10_000],
    ["Fri Jan  2 03:04:15 2026", 10_000],
    ["Fri, 02 Jan 2026 03:04:00 GMT", 0],
    ["", null],
    ["-5", null],
    ["1.5", null],
    ["5 seconds", null],
    ["soon", null],
    ["2026-01-02", null],
    ["Fri, 02 Jan 2026", null],
    ["Fri, 99 Nix 2026 03:04:15 GMT", null],
    [null, null],
  ])("reads %j as %j", (header, millis) => {
    expect(retryAfterMillis(header, null, now)).toBe(millis)
  })

  it("measures a date against the server's clock if it is known", () => {
    const at = "Fri, 02 Jan 2026 13:00:10 GMT"
    expect(retryAfterMillis(at, "Fri, 02 Jan 2026 13:00:00 GMT", now)).toBe(10_000)
    expect(retryAfterMillis("Fri, 02 Jan 2026 03:04:15 GMT", "nonsense", now)).toBe(10_000)
  })
})

describe("nextWait", () => {
  const answer = (status: number, retryAfter: string | null = null): Outcome => ({
    _tag: "Answer",
    status,
    retryAfter,
    date: null,
  })
  const noAnswer: Outcome = { _tag: "NoAnswer" }
  const wait = (method: string, outcome: Outcome, { random = 0, retries = 0, waited = 0 } = {}) =>
    nextWait(defaultPolicy, { method, outcome, retries, waited }, now, random)

  it("is Retry-After after 429 and 503, for every method", () => {
    for (const method of ["GET", "POST", "PATCH", "PUT", "DELETE"]) {
      expect(wait(method, answer(429, "7"))).toBe(7_000)
      expect(wait(method, answer(503, "7"))).toBe(7_000)
    }
  })

  it("is null after other responses", () => {
    for (const status of [200, 204, 400, 401, 404, 408, 422, 500, 502, 504]) {
      expect(wait("GET", answer(status, "7"))).toBeNull()
    }
  })

  it("doubles without Retry-After, with a random half", () => {
    const waits = (random: number) =>
      [0, 1, 2].map((retries) => wait("POST", answer(503), { retries, random }))
    expect(waits(0)).toEqual([250, 500, 1000])
    expect(waits(0.999)).toEqual([500, 1000, 1999])
    expect(wait("GET", answer(429, "later"))).toBe(250)
  })

  it("follows a missing response only if the method is idempotent", () => {
    for (const method of ["GET", "HEAD", "PUT", "DELETE"]) expect(wait(method, noAnswer)).toBe(250)
    for (const method of ["POST", "PATCH"]) expect(wait(method, noAnswer)).toBeNull()
  })

  it("is null beyond the maximum number of retries or the maximum total wait", () => {
    expect(wait("GET", answer(503, "0"), { retries: 2 })).toBe(0)
    expect(wait("GET", answer(503, "0"), { retries: 3 })).toBeNull()
    expect(wait("GET", answer(503, "30"))).toBe(30_000)
    expect(wait("GET", answer(503, "31"))).toBeNull()
    expect(wait("GET", answer(503, "20"), { retries: 1, waited: 20_000 })).toBeNull()
    expect(wait("GET", answer(503, "9".repeat(400)))).toBeNull()
  })
})

import { Duration } from "effect"
import { expect, it } from "vitest"
import * as Session from "../../src/identity/Session.js"

const days = (count: number) => Duration.toMillis(Duration.days(count))

it.each([
  ["valid after 29 idle days", { lastUsed: 0, now: 29 }, true],
  ["expired after 30 idle days", { lastUsed: 0, now: 30 }, false],
  ["valid after 89 days in use", { lastUsed: 88, now: 89 }, true],
  ["expired after 90 days in use", { lastUsed: 89, now: 90 }, false],
] as const)("a session is %s", (_, { lastUsed, now }, isValid) => {
  const expiry = {
    idleUntil: days(lastUsed) + Duration.toMillis(Session.idleLifetime),
    endsAt: Duration.toMillis(Session.longestLifetime),
  }
  expect(Session.isValid(expiry, days(now))).toBe(isValid)
})

import { expect, it } from "vitest"
import {
  corsHeaders,
  corsPreflightHeaders,
  formatRateLimits,
  rejectionStatus,
  SentryRejection,
} from "../src/index.js"

it("formats rate limits", () => {
  const all = { retryAfterSeconds: 59.2, categories: [], scope: "organization", reason: "rate" } as const
  const some = {
    retryAfterSeconds: 0,
    categories: ["error", "attachment"],
    scope: "key",
    reason: "queue",
  } as const
  expect(formatRateLimits([all, some])).toBe("60::organization:rate, 1:error;attachment:key:queue")
})

it("lets browsers read the limits and send what their clients send", () => {
  expect(corsHeaders["access-control-allow-origin"]).toBe("*")
  for (const name of ["x-sentry-error", "x-sentry-rate-limits", "retry-after"]) {
    expect(corsHeaders["access-control-expose-headers"]).toContain(name)
  }
  for (const name of ["x-sentry-auth", "content-encoding", "baggage", "sentry-trace"]) {
    expect(corsPreflightHeaders["access-control-allow-headers"]).toContain(name)
  }
})

it.each([
  ["missing_key", 401],
  ["invalid_key", 403],
  ["conflicting_project", 403],
  ["conflicting_keys", 400],
  ["invalid_event_id", 400],
  ["too_large", 413],
  ["unknown_encoding", 415],
  ["unsupported_media_type", 415],
] as const)("answers %s with %d", (reason, status) => {
  expect(rejectionStatus(new SentryRejection({ reason, detail: "" }))).toBe(status)
})

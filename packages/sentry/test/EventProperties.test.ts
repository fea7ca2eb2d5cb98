import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { normalizeEvent } from "../src/EventNormalizer.js"
import { eventId, expectBounded, limits, normalize, receivedAt } from "./support.js"

describe("EventNormalizer on arbitrary JSON", () => {
  const dirtyText = fc.oneof(
    fc.string(),
    fc.string16bits(),
    fc.constantFrom("\0", "\ud800", "__proto__", "x".repeat(9000), "é".repeat(5000)),
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      dirtyText,
      fc.double(),
      fc.constantFrom(null, true, false, 0, -1, 1e308),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(dirtyText, tie("tree"), { maxKeys: 4 }),
    ),
  }))
  const names = [
    "event_id",
    "timestamp",
    "platform",
    "level",
    "message",
    "logentry",
    "exception",
    "stacktrace",
    "threads",
    "breadcrumbs",
    "contexts",
    "tags",
    "extra",
    "modules",
    "user",
    "request",
    "sdk",
    "debug_meta",
    "fingerprint",
    "release",
    "environment",
    "server_name",
    "transaction",
    "transaction_info",
    "csp",
    "sentry.interfaces.Exception",
    "sentry.interfaces.Http",
  ]
  const inner = [
    "values",
    "frames",
    "type",
    "value",
    "mechanism",
    "stacktrace",
    "vars",
    "pre_context",
    "data",
    "headers",
    "cookies",
    "query_string",
    "message",
    "formatted",
    "params",
    "images",
    "id",
    "geo",
    "timestamp",
    "level",
    "lineno",
    "in_app",
    "crashed",
  ]
  const few = { maxKeys: 4 }
  const innerName = fc.constantFrom(...inner)
  const leaf = fc.dictionary(innerName, tree, few)
  const branch = fc.dictionary(innerName, fc.oneof(tree, leaf, fc.array(leaf, { maxLength: 3 })), few)
  const shaped = fc.dictionary(innerName, fc.oneof(tree, branch, fc.array(branch, { maxLength: 3 })), few)
  const anyEvent = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(tree, shaped, fc.array(shaped, { maxLength: 3 })),
    { maxKeys: 8 },
  )

  it("bounds any JSON", () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        normalize(event)
      }),
      { seed: 4, numRuns: 500 },
    )
  })

  it("applies any limits", () => {
    const small = {
      ...limits,
      maxStringBytes: 40,
      maxShortStringBytes: 20,
      maxKeyBytes: 20,
      maxTagKeyBytes: 8,
      maxTagValueBytes: 9,
      maxExceptions: 3,
      maxThreads: 2,
      maxFramesPerStack: 3,
      maxFrames: 5,
      maxBreadcrumbs: 2,
      maxTags: 2,
      maxContexts: 2,
      maxExtras: 2,
      maxDependencies: 2,
      maxDebugImages: 2,
      maxDepth: 8,
    }
    fc.assert(
      fc.property(anyEvent, (event) => {
        const bounded = normalizeEvent(event, { limits: small, eventId, receivedAt })
        expectBounded({ ...bounded, details: { ...bounded.details, ingest_truncations: [] } }, small)
      }),
      { seed: 5, numRuns: 500 },
    )
  })

  it("does not change its own output", () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const once = normalize(event)
        const d = once.details
        const again = normalize({
          timestamp: once.occurredAt / 1000,
          platform: once.platform,
          level: once.severity,
          server_name: once.serverName,
          environment: once.environment,
          release: once.release,
          tags: once.tags,
          transaction: d.transaction,
          logger: d.logger,
          dist: d.dist,
          logentry: d.logentry,
          exception: {
            values: d.exceptions.map(({ frames, ...rest }) => ({ ...rest, stacktrace: { frames } })),
          },
          threads: { values: d.threads.map(({ frames, ...rest }) => ({ ...rest, stacktrace: { frames } })) },
          breadcrumbs: d.breadcrumbs,
          extra: d.extras,
          sdk: d.sdk,
        })
        const { exceptions, threads, breadcrumbs, logentry, extras, sdk, transaction } = again.details
        expect(again.tags).toEqual(once.tags)
        expect(again.severity).toBe(once.severity)
        expect({ exceptions, threads, breadcrumbs, logentry, extras, sdk, transaction }).toEqual({
          exceptions: d.exceptions,
          threads: d.threads,
          breadcrumbs: d.breadcrumbs,
          logentry: d.logentry,
          extras: d.extras,
          sdk: d.sdk,
          transaction: d.transaction,
        })
      }),
      { seed: 6, numRuns: 300 },
    )
  })
})

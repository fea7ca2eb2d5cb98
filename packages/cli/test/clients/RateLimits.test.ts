/** The unmodified `@sentry/node` against a server that rejects: it stops sending for the requested time. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FixedMinute from "../../../http/test/support/FixedMinute.js"
import { start } from "../../../http/test/support/TestInstance.js"
import * as NodeApp from "./support/NodeApp.js"

it.live("@sentry/node stops sending errors when the rate limit is reached, and nothing else", () =>
  Effect.gen(function* () {
    const errata = yield* Effect.acquireRelease(
      Effect.promise(() => start({}, FixedMinute.layer())),
      (instance) => Effect.promise(() => instance.stop()),
    )
    yield* Effect.promise(() =>
      errata.api("/data_retention/ingest_protection", {
        method: "PATCH",
        body: { global_rate_limit_per_minute: 1 },
      }),
    )
    const dsn = `http://${errata.mine.token}@127.0.0.1:${errata.port}/${errata.mine.id}`
    const { code, lines } = yield* NodeApp.run(dsn, "oneAfterTheOther")
    expect(code).toBe(0)
    const events = lines.filter(({ kind }) => kind === "event")
    // The SDK dropped the third and fourth event. Other items are sent and accepted all the while.
    expect(events.map(({ status }) => status)).toEqual([200, 429, undefined, undefined])
    const answers = lines.filter(({ kind }) => kind === "answer").map(({ status }) => status)
    expect(answers.filter((status) => status !== 200)).toEqual([429])
    expect(answers.at(-1)).toBe(200)
    const { json } = yield* Effect.promise(() => errata.api("/data_retention/ingest_protection"))
    expect(json.recent_rejections).toBe(1)
  }),
)

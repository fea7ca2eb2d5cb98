/** The unmodified `@sentry/browser`, in a page of another origin than the server's. */
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Rest from "../support/Rest.js"
import * as Server from "../support/Server.js"
import * as Page from "./support/Page.js"
import * as Tap from "./support/Tap.js"

class Errata extends Context.Service<Errata, { readonly server: Server.Server; readonly script: string }>()(
  "Errata",
) {
  static readonly layer = Layer.effect(
    Errata,
    Effect.all({ server: Server.start(["--storage", "memory"]), script: Page.script }),
  )
}

/** A page whose requests are recorded by a tap, and the project that it reports to. */
const visit = (name: string, options: { readonly withoutHeaders?: ReadonlyArray<string> } = {}) =>
  Effect.gen(function* () {
    const { script, server } = yield* Errata
    const project = yield* Rest.createProject(server, name)
    const tap = yield* Tap.open(server.url, options.withoutHeaders)
    const page = yield* Page.open(script, Rest.dsn({ ...server, url: tap.url }, project))
    const firstSent = Rest.eventually(Effect.sync(page.sent), (sent) => sent.length > 0).pipe(
      Effect.map(([sent]) => sent!),
    )
    return { server, project, tap, page, firstSent }
  })

layer(Errata.layer, { excludeTestServices: true })("@sentry/browser", (it) => {
  it.effect("an exception with its breadcrumbs", () =>
    Effect.gen(function* () {
      const { firstSent, page, project, server } = yield* visit("caught")
      page.act("caught")
      const { event_id, status } = yield* firstSent
      expect(status).toBe(200)
      yield* Rest.recorded(server, project, 1)
      const report = yield* Rest.report(server, project, event_id)
      expect(report).toMatchObject({
        error_type: "CartError",
        error_message: "Product 17 is sold out",
        culprit: `${Page.scriptUrl} in addToCart`,
        platform: "javascript",
        severity: "error",
        handled: true,
        environment: "browser",
        release_version: "page@2.0.0",
        sdk: { name: "sentry.javascript.browser", version: expect.stringMatching(/^11\./) },
        user: { user_id: "u-1", email: "ada@example.com" },
        tags: expect.arrayContaining([
          { key: "page", value: "cart" },
          expect.objectContaining({ key: "browser" }),
        ]),
        request: { url: Page.url, headers: { "User-Agent": expect.stringContaining("jsdom") } },
      })
      expect(report.exceptions.map(({ type, value }) => [type, value])).toEqual([
        ["Error", "The stock is 0"],
        ["CartError", "Product 17 is sold out"],
      ])
      expect(report.exceptions.at(-1)?.frames.at(-1)).toMatchObject({
        filename: Page.scriptUrl,
        function: "addToCart",
        lineno: expect.any(Number),
        colno: expect.any(Number),
        in_app: true,
      })
      expect(report.breadcrumbs).toMatchObject([
        { category: "ui.click", message: "body > button#add" },
        { category: "console", level: "warning", message: "about to add" },
      ])
    }),
  )

  it.effect("an uncaught exception", () =>
    Effect.gen(function* () {
      const { firstSent, page, project, server } = yield* visit("uncaught")
      page.act("uncaught")
      const { event_id } = yield* firstSent
      yield* Rest.recorded(server, project, 1)
      expect(yield* Rest.report(server, project, event_id)).toMatchObject({
        error_type: "CartError",
        error_message: "Product 18 is sold out",
        handled: false,
      })
    }),
  )

  it.effect("is sent without a preflight: the key is in the query, the body plain text", () =>
    Effect.gen(function* () {
      const { firstSent, page, project, tap } = yield* visit("wire")
      page.act("caught")
      yield* firstSent
      const events = tap.seen.filter(({ url }) => url.pathname === `/api/${project.id}/envelope/`)
      expect(events.length).toBeGreaterThan(0)
      expect(tap.seen.map(({ method }) => method)).toEqual(tap.seen.map(() => "POST"))
      for (const { headers, url } of events) {
        expect(url.searchParams.get("sentry_key")).toBe(project.token)
        expect(headers).toMatchObject({ origin: Page.origin, "content-type": "text/plain;charset=UTF-8" })
        expect(headers).not.toHaveProperty("x-sentry-auth")
      }
    }),
  )

  it.effect("cannot read an answer without CORS headers", () =>
    Effect.gen(function* () {
      const { firstSent, page } = yield* visit("held to CORS", {
        withoutHeaders: ["access-control-allow-origin"],
      })
      page.act("caught")
      expect((yield* firstSent).status).toBeUndefined()
    }),
  )

  it.effect("can read all answers and rate limits", () =>
    Effect.gen(function* () {
      const { server } = yield* Errata
      const project = yield* Rest.createProject(server, "CORS")
      const path = `${server.url}/api/${project.id}/envelope/`
      const keyed = `${path}?sentry_key=${project.token}&sentry_version=7`
      const headers = { origin: Page.origin }
      const send = (url: string, body: string) => Rest.send(url, { method: "POST", headers, body })
      const answers = yield* Effect.all([
        send(keyed, "{}\n"),
        send(keyed, "no envelope"),
        send(path, "{}\n"),
        send(`${path}?sentry_key=${"0".repeat(32)}`, "{}\n"),
        Rest.send(keyed, { method: "PUT", headers, body: "{}" }),
        Rest.send(keyed, {
          method: "OPTIONS",
          headers: {
            ...headers,
            "access-control-request-method": "POST",
            "access-control-request-headers": "content-type,x-sentry-auth",
          },
        }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 403, 405, 204])
      for (const answer of answers) {
        expect(answer.headers.get("access-control-allow-origin")).toBe("*")
      }
      for (const answer of answers.slice(0, -1)) {
        const exposed = listed(answer.headers.get("access-control-expose-headers"))
        expect(exposed).toEqual(
          expect.arrayContaining(["x-sentry-error", "x-sentry-rate-limits", "retry-after"]),
        )
      }
      const preflight = answers.at(-1)!.headers
      expect(listed(preflight.get("access-control-allow-methods"))).toEqual(
        expect.arrayContaining(["get", "post", "options"]),
      )
      expect(listed(preflight.get("access-control-allow-headers"))).toEqual(
        expect.arrayContaining(["content-type", "x-sentry-auth", "content-encoding"]),
      )
    }),
  )
})

// internal

const listed = (header: string | null): ReadonlyArray<string> =>
  (header ?? "").split(",").map((name) => name.trim().toLowerCase())

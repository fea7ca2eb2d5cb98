/** Requests of old SDKs without envelopes, which curl and image elements still send. */
import { randomUUID } from "node:crypto"
import { deflateSync } from "node:zlib"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import * as Rest from "../support/Rest.js"
import * as Server from "../support/Server.js"

class Errata extends Context.Service<
  Errata,
  { readonly server: Server.Server; readonly project: Rest.Project }
>()("Errata") {
  static readonly layer = Layer.effect(
    Errata,
    Effect.gen(function* () {
      const server = yield* Server.start(["--storage", "memory"])
      return { server, project: yield* Rest.createProject(server, "Legacy") }
    }),
  )
}

/** An event of the first Python SDK: interfaces by class name, tags as pairs, a time without a zone. */
const raven = () => ({
  event_id: randomUUID(),
  message: "Lookup failed: %s",
  level: 40,
  logger: "shop.views",
  platform: "python",
  culprit: "shop.views in checkout",
  server_name: "web-3",
  timestamp: new Date().toISOString().slice(0, 19),
  project: "1",
  tags: [
    ["site", "north"],
    ["worker", 3],
  ],
  modules: { django: "1.4.22" },
  extra: { "sys.argv": ["manage.py", "runserver"] },
  "sentry.interfaces.Message": { message: "Lookup failed: %s", params: ["cart"] },
  "sentry.interfaces.Exception": {
    type: "KeyError",
    value: "'cart'",
    module: "exceptions",
    stacktrace: {
      frames: [
        {
          filename: "shop/views.py",
          module: "shop.views",
          function: "checkout",
          lineno: 17,
          context_line: "    return session['cart']",
          in_app: true,
          vars: { session: {} },
        },
      ],
    },
  },
  "sentry.interfaces.Http": {
    url: "http://shop.example/checkout",
    method: "GET",
    query_string: "step=2",
    headers: { "User-Agent": "Mozilla/5.0" },
  },
  "sentry.interfaces.User": { id: 7, username: "ada", is_authenticated: true },
})

const readBack = Effect.fnUntraced(function* (eventId: string) {
  const { project, server } = yield* Errata
  return yield* Rest.report(server, project, eventId).pipe(
    Effect.retry({
      schedule: Schedule.spaced("20 millis"),
      times: 6_000,
      while: ({ message }) => message.includes("answered 404"),
    }),
  )
})

const packed = (event: object) => deflateSync(JSON.stringify(event)).toString("base64")

const hex = (eventId: string) => eventId.replaceAll("-", "")

layer(Errata.layer, { excludeTestServices: true })("old clients", (it) => {
  it.effect("Python: base64 of zlib to store, the key in X-Sentry-Auth", () =>
    Effect.gen(function* () {
      const { project, server } = yield* Errata
      const event = raven()
      const answer = yield* Rest.send(`${server.url}/api/${project.id}/store/`, {
        method: "POST",
        headers: {
          "content-type": "application/octet-stream",
          "user-agent": "raven-python/5.0.0",
          "x-sentry-auth":
            `Sentry sentry_timestamp=${Date.now() / 1000}, sentry_client=raven-python/5.0.0, ` +
            `sentry_version=4, sentry_key=${project.token}, sentry_secret=${"0".repeat(32)}`,
        },
        body: packed(event),
      })
      expect(`${answer.status} ${answer.body}`).toBe(`200 {"id":"${hex(event.event_id)}"}`)
      expect(yield* readBack(event.event_id)).toMatchObject({
        event_id: hex(event.event_id),
        error_type: "KeyError",
        error_message: "'cart'",
        culprit: "shop.views in checkout",
        platform: "python",
        severity: "error",
        server_name: "web-3",
        occurred_at: `${event.timestamp}.000Z`,
        tags: [
          { key: "site", value: "north" },
          { key: "worker", value: "3" },
          { key: "user.id", value: "7" },
        ],
        dependencies: [{ name: "django", version: "1.4.22" }],
        extras: [{ key: "sys.argv", value: ["manage.py", "runserver"] }],
        logentry: { message: "Lookup failed: %s", params: ["cart"], formatted: "Lookup failed: cart" },
        request: { url: "http://shop.example/checkout", method: "GET", query_string: "step=2" },
        user: { user_id: "7", username: "ada", data: { is_authenticated: true } },
        exceptions: [
          {
            type: "KeyError",
            module: "exceptions",
            frames: [{ function: "checkout", lineno: 17, context_line: "    return session['cart']" }],
          },
        ],
      })
    }),
  )

  const ways: ReadonlyArray<{
    readonly name: string
    readonly path: (project: Rest.Project) => string
    readonly init: (project: Rest.Project, event: object) => RequestInit
  }> = [
    {
      name: "the key in the query, JSON without a content type, no slash at the end",
      path: ({ id, token }) => `/api/${id}/store?sentry_version=7&sentry_key=${token}`,
      init: (_, event) => ({ body: new Blob([JSON.stringify(event)]) }),
    },
    {
      name: "the project only by its key, in the Authorization header",
      path: () => "/api/store/",
      init: ({ token }, event) => ({
        headers: {
          authorization: `Sentry sentry_version=6,sentry_client=raven-ruby/1.2.3,sentry_key=${token}`,
        },
        body: JSON.stringify(event),
      }),
    },
    {
      name: "the key as the user of HTTP Basic, base64 of plain JSON",
      path: ({ id }) => `/api/${id}/store/`,
      init: ({ token }, event) => ({
        headers: { authorization: `Basic ${Buffer.from(`${token}:`).toString("base64")}` },
        body: Buffer.from(JSON.stringify(event)).toString("base64"),
      }),
    },
    {
      name: "a nonsense Content-Encoding, as Ruby and Android sent it",
      path: ({ id, token }) => `/api/${id}/store/?sentry_key=${token}`,
      init: (_, event) => ({ headers: { "content-encoding": "UTF-8" }, body: JSON.stringify(event) }),
    },
    {
      name: "a form with the packed event in sentry_data",
      path: ({ id, token }) => `/api/${id}/store/?sentry_key=${token}`,
      init: (_, event) => ({ body: new URLSearchParams({ sentry_data: packed(event) }) }),
    },
  ]
  for (const { init, name, path } of ways) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { project, server } = yield* Errata
        const event = raven()
        const answer = yield* Rest.send(`${server.url}${path(project)}`, {
          method: "POST",
          ...init(project, event),
        })
        expect(`${answer.status} ${answer.body}`).toBe(`200 {"id":"${hex(event.event_id)}"}`)
        expect((yield* readBack(event.event_id)).error_message).toBe("'cart'")
      }),
    )
  }

  it.effect("an image element: GET with sentry_data, answered with a GIF of one pixel", () =>
    Effect.gen(function* () {
      const { project, server } = yield* Errata
      for (const data of [JSON.stringify, packed]) {
        const event = raven()
        const query = new URLSearchParams({
          sentry_version: "4",
          sentry_client: "raven-js/1.0.0",
          sentry_key: project.token,
          sentry_data: data(event),
        })
        const answer = yield* Rest.send(`${server.url}/api/${project.id}/store/?${query}`)
        expect(answer.status).toBe(200)
        expect(answer.headers.get("content-type")).toBe("image/gif")
        expect(answer.body.subarray(0, 10)).toEqual(
          Buffer.from([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0]),
        )
        expect((yield* readBack(event.event_id)).error_type).toBe("KeyError")
      }
    }),
  )
})

/** Bodies that are expensive to process for their size, sent to every route that reads one. */

import { request } from "node:http"
import { makeErrataApi } from "@errata/api"
import { AccessPolicy, Actor, CurrentActor, Users } from "@errata/core"
import { Effect, Redacted } from "effect"
import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as UnansweredEndpoints from "../src/upload/UnansweredEndpoints.js"
import * as UploadApp from "../src/upload/UploadApp.js"
import { adminKey, memberKey, start, type TestInstance } from "./support/TestInstance.js"

const MiB = 1024 * 1024

/** `[[],[],…]` of this many bytes. */
const lists = (bytes: number) => `[${"[],".repeat(bytes / 3)}[]]`

const longestAnswer = 2_000

const restRoutes: Array<readonly [method: string, path: string]> = []
HttpApi.reflect(makeErrataApi(), {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    if (endpoint.payload.size > 0) restRoutes.push([endpoint.method, endpoint.path])
  },
})

const unanswered = new Set(UnansweredEndpoints.routes)

const strangerKey = "errata_stranger_0123456789abcdef"

describe("A hostile body", () => {
  let errata: TestInstance
  let uploadRoutes: ReadonlyArray<readonly [method: string, path: string]>

  beforeAll(async () => {
    errata = await start()
    const routes = await errata.run(Effect.scoped(UploadApp.routes))
    uploadRoutes = routes
      .filter((route) => (route.method === "POST" || route.method === "PUT") && !unanswered.has(route))
      .map(({ method, path }) => [method, `/api/0/${path}/`] as const)
    await errata.run(
      Effect.gen(function* () {
        yield* (yield* Users).create(yield* AccessPolicy.instance("users.administer"), {
          name: "stranger",
          emailAddress: "stranger@example.com",
          role: "member",
          apiKey: Redacted.make(strangerKey),
        })
      }).pipe(Effect.provideService(CurrentActor, Actor.System())),
    )
  })
  afterAll(() => errata.stop())

  const filled = (path: string) =>
    path.replace(/:(\w+)/g, (_, name: string) =>
      name === "project_id" || name === "project" ? String(errata.mine.id) : "1",
    )

  const send = (method: string, path: string, body: string, key = adminKey) =>
    errata.fetch(filled(path), {
      method,
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    })

  /** Sends only the headers. Returns the status. */
  const sendNothingOf = (method: string, path: string, key: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request({
        host: "127.0.0.1",
        port: errata.port,
        method,
        path: filled(path),
        headers: { authorization: `Bearer ${key}`, "content-length": MiB / 2 },
      })
      outgoing.on("response", (response) => {
        resolve(response.statusCode)
        outgoing.destroy()
      })
      outgoing.on("error", reject)
      outgoing.flushHeaders()
    })

  it("is tested on every route that reads one", () => {
    expect(restRoutes.length).toBeGreaterThan(20)
    expect(uploadRoutes.length).toBeGreaterThan(7)
  })

  it("is rejected for its size or its number of values, with a short message", async () => {
    const routes = [...restRoutes, ...uploadRoutes, ["POST", "/mcp"], ["POST", "/oauth/register"]] as const
    for (const [method, path] of routes) {
      const isMultipart = /files\/$|chunk-upload\/$/.test(path)
      for (const bytes of [1_000_000, 1_200_000]) {
        const answer = await send(method, path, lists(bytes))
        const where = `${method} ${path} ${bytes}`
        if (isMultipart) expect(answer.status, where).toBe(400)
        else if (bytes > MiB) expect([404, 413], where).toContain(answer.status)
        else expect([400, 404, 413, 422], where).toContain(answer.status)
        expect(answer.text.length, where).toBeLessThan(longestAnswer)
      }
    }
  })

  it("is rejected with a short message if a field contains it", async () => {
    for (const [method, path] of uploadRoutes) {
      for (const value of [lists(200_000), `"${"x".repeat(1_000_000)}"`, `{"${"k".repeat(1_000_000)}":1}`]) {
        for (const field of ["version", "projects", "environment", "commits", "chunks", "a"]) {
          const answer = await send(method, path, `{"${field}":${value}}`, memberKey)
          expect(answer.text.length, `${method} ${path} ${field}`).toBeLessThan(longestAnswer)
        }
      }
    }
  })

  it("is not read from a user without a project", async () => {
    for (const [method, path] of uploadRoutes) {
      expect([method, path, await sendNothingOf(method, path, strangerKey)]).toEqual([
        method,
        path,
        expect.toSatisfy((status) => status === 400 || status === 403),
      ])
    }
  })
})

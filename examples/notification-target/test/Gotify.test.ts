import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { defaultSettings, ErrataConfig, GroupId, type Notification, ProjectId } from "@errata/core"
import { NotificationTargets } from "@errata/core/ports"
import { NodeOutboundClient } from "@errata/http"
import { DateTime, Duration, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { targets } from "../Gotify.js"

const gotify = await Effect.runPromise(
  Effect.provide(
    Effect.map(NotificationTargets, (all) => all.find(({ kind }) => kind === "gotify")!),
    targets,
  ),
)

const token = "AbCdEfGhIjKlMnO"
const at = DateTime.makeUnsafe("2026-11-26T08:17:31.000Z")
const notification: Notification = {
  version: 1,
  id: "n-1",
  kind: "alert",
  at,
  project: { id: ProjectId.make(1), name: "Shop", url: null },
  rule: null,
  reason: "New error",
  group: {
    id: GroupId.make(42),
    errorType: "TypeError",
    errorMessage: "x is not a function",
    culprit: "checkout",
    severity: "error",
    environment: "production",
    release: "",
    reportsCount: 1,
    usersCount: 1,
    firstOccurredAt: at,
    lastOccurredAt: at,
    frames: [],
    url: null,
  },
  sections: [],
  settingsUrl: null,
}

describe("a target for Gotify", () => {
  const requests: Array<{ readonly key: unknown; readonly url: unknown; readonly body: unknown }> = []
  let status = 200
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    requests.push({ key: request.headers["x-gotify-key"], url: request.url, body })
    response.writeHead(status).end()
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  afterAll(() => {
    server.close()
  })

  const send = Effect.suspend(() =>
    gotify.send(
      notification,
      { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token },
      { timeout: Duration.seconds(10), unsubscribeUrl: null },
    ),
  ).pipe(
    Effect.provide(
      NodeOutboundClient.layer.pipe(
        Layer.provide(Layer.succeed(ErrataConfig, { ...defaultSettings, allowPrivateAddresses: true })),
      ),
    ),
  )

  it("sends a message", async () => {
    expect(await Effect.runPromise(send)).toEqual({ status: 200 })
    expect(requests).toEqual([
      {
        key: token,
        url: "/message",
        body: { title: "[Shop] New error", message: "TypeError: x is not a function", priority: 8 },
      },
    ])
  })

  it("is retried if the server is overloaded, and not if the token is wrong", async () => {
    status = 503
    expect(await Effect.runPromise(Effect.flip(send))).toMatchObject({ isRetryable: true, status: 503 })
    status = 401
    expect(await Effect.runPromise(Effect.flip(send))).toMatchObject({ isRetryable: false, status: 401 })
  })

  it("names the field that is wrong", () => {
    expect(gotify.check({ url: "http://gotify.example.com", token })).toEqual({})
    expect(gotify.check({ url: "gotify", token: "short" })).toEqual({
      url: "must be the URL of the server",
      token: "must be the token of an app",
    })
  })
})

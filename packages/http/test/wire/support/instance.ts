/** An instance in memory behind the fetch-style handler, for the wire suite. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { StartedTarget } from "@errata/api/wire"
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  defaultSettings,
  ErrataConfig,
  type Role,
  Services,
  Users,
} from "@errata/core"
import { Keyring, NotificationTargets } from "@errata/core/ports"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Engine, FrameMapping, HostedMapFetcher } from "@errata/sourcemap"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer, Logger, ManagedRuntime, Option, Redacted } from "effect"
import { NodeOutboundClient, WebHandler } from "../../../src/index.js"
import { httpTarget } from "../../support/TestTarget.js"

const create = Effect.fnUntraced(function* (name: string, role: Role) {
  const emailAddress = `${name}@example.com`
  const allowed = yield* AccessPolicy.instance("users.administer")
  const { apiKey } = yield* (yield* Users).create(allowed, { name, role, emailAddress })
  return { emailAddress, apiKey: Redacted.value(apiKey) }
})

const people = Effect.all({
  admin: create("admin", "admin"),
  member: create("member", "member"),
  stranger: create("stranger", "member"),
  leaver: create("leaver", "member"),
}).pipe(Effect.provideService(CurrentActor, Actor.System()))

const keyring = Layer.succeed(
  Keyring.Keyring,
  Option.getOrThrow(Keyring.parseKeys("0123456789abcdef".repeat(4))),
)

/** The suite has a kind of target, and listens on this machine. */
const settings = Layer.mergeAll(
  Layer.succeed(NotificationTargets, [httpTarget]),
  Layer.succeed(ErrataConfig, { ...defaultSettings, allowPrivateAddresses: true }),
)

const receiver = { kind: "test", field: "url" }

const services = Services.layerWorkers.pipe(
  Layer.provide(Layer.provide(FrameMapping.layerHosted, HostedMapFetcher.layer)),
  Layer.provideMerge(Layer.provide(Services.layer, FrameMapping.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      MemoryStorage.layer,
      SentryPayloadDecoder.layer(),
      Engine.layer,
      NodeOutboundClient.layer,
      keyring,
    ),
  ),
  Layer.provideMerge(settings),
)

const quiet = Logger.layer([])

export const startHandler = async (): Promise<StartedTarget> => {
  const runtime = ManagedRuntime.make(services.pipe(Layer.provide(quiet)))
  const target = await runtime.runPromise(people)
  const web = WebHandler.fromLayer(Layer.merge(Layer.succeedContext(await runtime.context()), quiet))
  const server = createServer(listenerOf(web.handler))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    target: { baseUrl: `http://127.0.0.1:${port}`, ...target, receiver },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await web.dispose()
      await runtime.dispose()
    },
  }
}

/** Hosts a fetch-style handler in Node. */
const listenerOf =
  (handler: WebHandler.WebHandler): RequestListener =>
  async (incoming, outgoing) => {
    const { headers, method = "GET", url = "/" } = incoming
    const body = await buffer(incoming)
    const request = new Request(`http://${headers.host}${url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    const response = await handler(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  }

/** The wire suite on a listening server in memory. */
import { AccessPolicy, Actor, CurrentActor, Keyring, type Role, Services, Users } from "@errata/core"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Engine, FrameMapping, HostedMapFetcher } from "@errata/sourcemap"
import { MemoryStorage } from "@errata/storage-memory"
import { defineWireSuite, type StartedTarget } from "@errata/testing/wire"
import { Effect, Layer, Logger, ManagedRuntime, Option, Redacted } from "effect"
import { ErrataServer, NodeOutboundClient } from "../../src/index.js"

const create = (name: string, role: Role) =>
  Effect.gen(function* () {
    const emailAddress = `${name}@example.com`
    const allowed = yield* AccessPolicy.instance("users.administer")
    const { apiKey } = yield* (yield* Users).create(allowed, { name, role, emailAddress })
    return { emailAddress, apiKey: Redacted.value(apiKey) }
  })

const keyring = Layer.succeed(
  Keyring.Keyring,
  Option.getOrThrow(Keyring.parseKeys("0123456789abcdef".repeat(4))),
)

const start = async (): Promise<StartedTarget> => {
  const runtime = ManagedRuntime.make(
    Layer.merge(ErrataServer.layer({ host: "127.0.0.1", port: 0 }), Services.layerWorkers).pipe(
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
      Layer.provide(Logger.layer([])),
    ),
  )
  const target = await runtime.runPromise(
    Effect.all({
      admin: create("admin", "admin"),
      member: create("member", "member"),
      stranger: create("stranger", "member"),
      leaver: create("leaver", "member"),
    }).pipe(Effect.provideService(CurrentActor, Actor.System())),
  )
  const { baseUrl } = await runtime.runPromise(ErrataServer)
  return { target: { baseUrl, ...target }, stop: () => runtime.dispose() }
}

defineWireSuite("the wire suite on memory", start)

// An application that embeds Errata, compiled with strict settings and with the declarations of all packages checked.
import { createErrataClient } from "@errata/api/promise"
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  ErrataConfig,
  GroupFilter,
  Groups,
  ProjectId,
  Services,
} from "@errata/core"
import * as SearchQuery from "@errata/core/search"
import { ErrataServer, NodeOutboundClient, WebHandler } from "@errata/http"
import { mcp } from "@errata/mcp"
import { SentryPayloadDecoder } from "@errata/sentry"
import { MemoryStorage } from "@errata/storage-memory"
import { PostgresStorage } from "@errata/storage-postgres"
import { EmbeddedPostgres } from "@errata/storage-postgres/embedded"
import { storageContract } from "@errata/testing"
import { Effect, Layer, Redacted } from "effect"
import { createErrata, type Errata, memory } from "errata"
import { Capture, Errata as ErrataLayer } from "errata/effect"
import { embedded } from "errata/embedded"
import { postgres } from "errata/postgres"

const services = Services.layer.pipe(Layer.provide([MemoryStorage.layer, SentryPayloadDecoder.layer()]))

export const { handler } = WebHandler.fromLayer(services, { baseUrl: "https://errors.example.com", mcp })
export const answer: Promise<Response> = handler(new Request("https://errors.example.com/up"))

export const onPostgres = Layer.merge(
  ErrataServer.layer({ host: "127.0.0.1", port: 4000 }),
  Services.layerWorkers,
).pipe(
  Layer.provide(Services.layer),
  Layer.provide([
    PostgresStorage.layer({ url: Redacted.make("postgres://127.0.0.1/errata") }),
    SentryPayloadDecoder.layer(),
    NodeOutboundClient.layer,
  ]),
)

export const onEmbedded = EmbeddedPostgres.make({ dataDir: ".errata" }).pipe(
  Effect.map(({ url }) => PostgresStorage.layer({ url })),
  Layer.unwrap,
)

export const titles = Effect.gen(function* () {
  const groups = yield* Groups
  const allowed = yield* AccessPolicy.project("groups.read", ProjectId.make(1))
  const { items } = yield* groups.list(allowed, GroupFilter.all, { limit: 25, cursor: null })
  return items.map(({ id }) => id)
}).pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(services))

// A permission for one rule does not satisfy another.
export const refused = Effect.gen(function* () {
  const groups = yield* Groups
  const allowed = yield* AccessPolicy.project("project.read", ProjectId.make(1))
  // @ts-expect-error: to read a project is not to read its groups.
  return yield* groups.list(allowed, GroupFilter.all, { limit: 25, cursor: null })
})

export const client = createErrataClient({ baseUrl: "http://127.0.0.1:4000", apiKey: "errata_none" })
export const counts = async (): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = []
  for await (const group of client.groups.list(1, { query: "is:unresolved" })) found.push(group.reports_count)
  return found
}

export const open = (): Promise<Errata> => createErrata({ storage: memory(), environment: "test" })
export const storages = [
  memory(),
  embedded({ dir: ".errata" }),
  postgres({ url: "postgres://127.0.0.1/errata" }),
]
export const captured = Effect.flatMap(Capture, ({ capture }) => capture(new Error("Out of tea"))).pipe(
  Effect.provide(ErrataLayer.layer({ project: "Shop" }).pipe(Layer.provide(MemoryStorage.layer))),
)

export const modules = { ErrataConfig, SearchQuery, storageContract }

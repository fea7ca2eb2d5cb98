// Reports an error to a server in memory and finds it in a group.
import assert from "node:assert/strict"
import { AccessPolicy, Actor, CurrentActor, GroupFilter, Groups, Projects, Services } from "@errata/core"
import { NodeOutboundClient, WebHandler } from "@errata/http"
import { mcp } from "@errata/mcp"
import { SentryPayloadDecoder } from "@errata/sentry"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer, Schedule } from "effect"
import { createErrata, memory } from "errata"

const services = Services.layerWorkers.pipe(
  Layer.provideMerge(Services.layer),
  Layer.provide([MemoryStorage.layer, SentryPayloadDecoder.layer(), NodeOutboundClient.layer]),
)

const program = Effect.gen(function* () {
  const handler = yield* WebHandler.make({ baseUrl: "http://errors.example.com", mcp })
  const projects = yield* Projects
  const project = yield* projects.create(yield* AccessPolicy.instance("projects.create"), {
    name: "Tea shop",
  })

  const url = `http://errors.example.com/api/${project.id}/store/?sentry_key=${project.token}`
  const body = JSON.stringify({ exception: { values: [{ type: "TypeError", value: "no tea" }] } })
  const answer = yield* Effect.promise(() => handler(new Request(url, { method: "POST", body })))
  assert.equal(answer.status, 200)

  const groups = yield* Groups
  const allowed = yield* AccessPolicy.project("groups.read", project.id)
  const recorded = groups.list(allowed, GroupFilter.all, { limit: 1, cursor: null }).pipe(
    Effect.flatMap(({ items }) =>
      items.length > 0 ? Effect.succeed(items) : Effect.fail("not recorded yet"),
    ),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 3000 }),
  )
  const [group] = yield* recorded
  assert.equal(group.errorMessage, "no tea")
})

await Effect.runPromise(
  program.pipe(Effect.scoped, Effect.provideService(CurrentActor, Actor.System()), Effect.provide(services)),
)

// The same without Effect.
const errata = await createErrata({ storage: memory(), log: "silent" })
await errata.capture(new RangeError("no milk"))
await errata.flush({ timeout: 60_000 })
const { groups } = await errata.groups.list(errata.project.id)
assert.deepEqual(
  groups.map(({ error_message }) => error_message),
  ["no milk"],
)
await errata.close()

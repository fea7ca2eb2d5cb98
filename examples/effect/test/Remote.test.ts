import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { createErrata, memory } from "errata"
import { expect, it } from "vitest"
import * as Remote from "../Remote.js"

it("an application on Effect reports its failures to a tracker elsewhere", async () => {
  const server = createServer((request, response) => errata.nodeHandler(request, response))
  await once(server.listen(0, "127.0.0.1"), "listening")
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const errata = await createErrata({ storage: memory(), log: "silent", baseUrl })

  const shop = Remote.layer({ dsn: errata.dsn() }).pipe(Layer.provideMerge(NodeHttpServer.layerTest))
  const statuses = Effect.forEach([7, 12, 13, 13, 404], (id) =>
    Effect.map(HttpClient.get(`/orders/${id}`), ({ status }) => status),
  )
  // The layer delivers before it ends.
  expect(await Effect.runPromise(Effect.provide(statuses, shop))).toEqual([200, 503, 500, 500, 404])

  await errata.flush()
  const { groups } = await errata.groups.list(errata.project.id, { query: "release:shop@1.4.0" })
  expect(
    groups.map(({ error_type: type, reports_count: count, severity }) => [type, count, severity]).sort(),
  ).toEqual([
    ["RangeError", 2, "error"],
    ["WarehouseDown", 1, "fatal"],
  ])
  const tagged = await errata.groups.list(errata.project.id, { query: "warehouse:north order:12" })
  expect(tagged.groups).toHaveLength(1)
  await errata.close()
  server.closeAllConnections()
  server.close()
})

import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import { Errata } from "@errata/effect"
import { Effect, Fiber } from "effect"
import { createErrata, memory } from "errata"
import { expect, it } from "vitest"
import * as Server from "../Server.js"

const urlOf = async (server: ReturnType<typeof createServer>) => {
  if (!server.listening) await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it("an application on Effect reports its failures to a tracker elsewhere", async () => {
  const tracker = createServer((request, response) => errata.nodeHandler(request, response)).listen(0)
  const errata = await createErrata({ storage: memory(), log: "silent", baseUrl: await urlOf(tracker) })

  const shop = createServer()
  const run = (server: typeof shop, port: number) =>
    Server.launch.pipe(
      Effect.provide(NodeHttpServer.layer(() => server, { port })),
      Effect.withErrorReporting,
      Effect.provide(
        Errata.layer({ dsn: errata.dsn(), release: "shop@1.4.0", shutdownTimeout: "30 seconds" }),
      ),
    )
  const fiber = Effect.runFork(run(shop, 0))
  const url = await urlOf(shop)
  const statuses: Array<number> = []
  for (const id of [7, 12, 13, 13, 404]) statuses.push((await fetch(`${url}/orders/${id}`)).status)
  expect(statuses).toEqual([200, 503, 500, 500, 404])
  // A second one cannot start, because the port is in use.
  await Effect.runPromise(Effect.exit(run(createServer(), Number(new URL(url).port))))
  await Effect.runPromise(Fiber.interrupt(fiber))

  await errata.flush()
  const { groups } = await errata.groups.list(errata.project.id, { query: "release:shop@1.4.0" })
  expect(groups.map((group) => [group.error_type, group.reports_count, group.severity]).sort()).toEqual([
    ["RangeError", 2, "error"],
    ["ServeError", 1, "error"],
    ["WarehouseDown", 1, "fatal"],
  ])
  const tagged = await errata.groups.list(errata.project.id, { query: "warehouse:north order:12" })
  expect(tagged.groups).toHaveLength(1)
  await errata.close()
  tracker.closeAllConnections()
  tracker.close()
})

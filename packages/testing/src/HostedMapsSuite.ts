/** Downloads of source maps, from fake servers. */
import type { ProjectId } from "@errata/core"
import {
  type OutboundAnswer,
  OutboundClient,
  type OutboundDownload,
  SourcemapStore,
} from "@errata/core/ports"
import { HostedMapFetcher, HostedMaps } from "@errata/sourcemap"
import { Duration, Effect, Fiber, Layer, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { withOrigins } from "./internal/Origins.js"

const cdn = "https://cdn.example.com"
const app = `${cdn}/app.js`
const json = '{"version":3}'

const bodyOf = (text: string, headers: OutboundAnswer["headers"] = {}): OutboundAnswer => ({
  status: 200,
  headers,
  body: new TextEncoder().encode(text),
})

const notThere: OutboundAnswer = { status: 404, headers: {}, body: new Uint8Array() }

/** A server with a script and its map, and the requests it received. */
const makeServer = () => {
  const asked: Array<OutboundDownload> = []
  const files = new Map([
    [app, bodyOf("run()", { sourcemap: "app.js.map" })],
    [`${app}.map`, bodyOf(json)],
  ])
  const client = Layer.succeed(OutboundClient, {
    send: () => Effect.die(new Error("Nothing but downloads is expected")),
    download: (download) =>
      // Yields, so that other requests can start meanwhile.
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => {
          asked.push(download)
          return files.get(download.url) ?? notThere
        }),
      ),
  })
  return { asked, files, client, urls: () => asked.map(({ url }) => url) }
}

const fromOne = Effect.map(Given.project(), ({ id }) => id).pipe(
  Effect.tap((id) =>
    Effect.flatMap(SourcemapStore, (origins) => origins.insertOrigin(id, cdn, Factory.noon)),
  ),
)

/** The text of a script's map or an error code, found on a new node. */
const find = (client: Layer.Layer<OutboundClient>, projectId: ProjectId, url: string) =>
  Effect.flatMap(HostedMaps, (maps) => maps.find(projectId, url)).pipe(
    Effect.map(({ json }) => new TextDecoder().decode(json)),
    Effect.catchTag("HostedMapUnavailable", ({ code }) => Effect.succeed<string>(code)),
    Effect.provide(Layer.provide(HostedMapFetcher.layer, client)),
  )

export const hostedMapsSuite: ContractSuite = {
  name: "HostedMaps",
  cases: [
    contractCase(
      "are requested with limits on time and size, and only the end of scripts is read",
      Effect.gen(function* () {
        const { asked, client } = makeServer()
        expect(yield* find(client, yield* fromOne, app)).toBe(json)
        const mebibytes = (count: number) => count * 1024 * 1024
        const times = { timeout: Duration.seconds(10), headersTimeout: Duration.seconds(5) }
        expect(asked).toMatchObject([
          { url: app, ...times, maxBytes: mebibytes(32), tailBytes: 64 * 1024 },
          { url: `${app}.map`, ...times, maxBytes: mebibytes(64), tailBytes: mebibytes(64) },
        ])
      }),
    ),

    contractCase(
      "are fetched again after a day, and missing ones after ten minutes",
      Effect.gen(function* () {
        const { asked, client, files } = makeServer()
        const project = yield* fromOne
        const found = () => Effect.all([find(client, project, app), find(client, project, `${cdn}/other.js`)])
        const missing = "hosted_not_found"
        expect(yield* found()).toEqual([json, missing])
        yield* advance("9 minutes")
        expect(yield* found()).toEqual([json, missing])
        expect(asked).toHaveLength(3)
        files.set(`${cdn}/other.js`, bodyOf(`//# sourceMappingURL=data:,${encodeURIComponent(json)}`))
        yield* advance("2 minutes")
        expect(yield* found()).toEqual([json, json])
        expect(asked).toHaveLength(4)
        files.set(`${app}.map`, bodyOf('{"version":3,"names":[]}'))
        yield* advance("23 hours")
        expect(yield* found()).toEqual([json, json])
        expect(asked).toHaveLength(4)
        yield* advance("1 hour")
        expect(yield* found()).toEqual(['{"version":3,"names":[]}', json])
      }),
    ),

    contractCase(
      "are deleted with their origin, and fetched again after it is added again",
      Effect.gen(function* () {
        const { client, files } = makeServer()
        const project = yield* fromOne
        expect(yield* find(client, project, app)).toBe(json)
        const [origin] = (yield* (yield* SourcemapStore).listOrigins(project, { limit: 1, cursor: null }))
          .items
        yield* withOrigins(project, (origins, authorized) => origins.remove(authorized, origin!.id))
        expect(yield* onSecondNode(find(client, project, app))).toBe("origin_not_authorized")
        files.set(`${app}.map`, bodyOf('{"version":3,"names":[]}'))
        yield* withOrigins(project, (origins, authorized) => origins.create(authorized, cdn))
        expect(yield* find(client, project, app)).toBe('{"version":3,"names":[]}')
      }),
    ),

    contractCase(
      "are fetched from an origin as soon as it is added",
      Effect.gen(function* () {
        const { client, files } = makeServer()
        const project = yield* fromOne
        files.set(app, bodyOf("run()", { "x-sourcemap": "https://maps.example.com/app.js.map" }))
        files.set("https://maps.example.com/app.js.map", bodyOf(json))
        expect(yield* find(client, project, app)).toBe("origin_not_authorized")
        yield* withOrigins(project, (origins, authorized) =>
          origins.create(authorized, "https://maps.example.com"),
        )
        expect(yield* onSecondNode(find(client, project, app))).toBe(json)
      }),
    ),

    contractCase(
      "are fetched by one of several nodes that need them",
      Effect.gen(function* () {
        const { client, urls } = makeServer()
        const project = yield* fromOne
        const here = onRealClock(find(client, project, app))
        const there = onRealClock(onSecondNode(find(client, project, app)))
        const found = yield* Effect.all([here, there, here, there], { concurrency: "unbounded" })
        expect(found).toEqual([json, json, json, json])
        expect(urls()).toEqual([app, `${app}.map`])
      }),
    ),

    contractCase(
      "are fetched by another node if the first one was killed",
      Effect.gen(function* () {
        const cache = yield* SourcemapStore
        const { asked, client } = makeServer()
        const project = yield* fromOne
        const killed = yield* cache.claimMap({ projectId: project, url: app }, Duration.seconds(30))
        expect(Option.isSome(killed)).toBe(true)
        // The waiting node checks again every half second.
        const waiting = yield* Effect.forkChild(onRealClock(onSecondNode(find(client, project, app))))
        yield* advance("31 seconds")
        expect(yield* Fiber.join(waiting)).toBe(json)
        expect(asked).toHaveLength(2)
      }),
    ),
  ],
}

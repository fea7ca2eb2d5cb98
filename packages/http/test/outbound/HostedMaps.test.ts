/** Source maps from correct and from misbehaving servers. */
import { brotliCompressSync, gzipSync } from "node:zlib"
import {
  defaultSettings,
  ErrataConfig,
  type ErrataSettings,
  type ProjectId,
  type Services,
  type StorageError,
} from "@errata/core"
import { defaultPolicies } from "@errata/core/internal"
import { PolicyStore, SourcemapStore } from "@errata/core/ports"
import { HostedMapFetcher, HostedMaps, type HostedMapUnavailable } from "@errata/sourcemap"
import { MemoryStorage } from "@errata/storage-memory"
import { Given } from "@errata/testing"
import { Context, DateTime, Deferred, Duration, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { NodeOutboundClient } from "../../src/index.js"
import { NameResolver } from "../../src/outbound/NameResolver.js"
import { AddressRule, CertificateAuthorities } from "../../src/outbound/OutboundTrust.js"
import * as Hosted from "../support/HostedServer.js"

const { body, redirect } = Hosted

const json = '{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}'
const comment = (reference: string) => `run()\n//# sourceMappingURL=${reference}\n`

let server: Hosted.HostedServer
let logs: Array<string>
beforeAll(async () => {
  server = await Hosted.start()
})
beforeEach(() => {
  server.routes.clear()
  server.asked.length = 0
  logs = []
})
afterAll(() => server.stop())

/** Addresses of names. Others resolve to the public address. */
const addresses: Readonly<Record<string, ReadonlyArray<string>>> = {
  "private.example.com": [Hosted.privateAddress],
  "both.example.com": [Hosted.privateAddress, Hosted.publicAddress],
  "nowhere.example.com": [],
}

const originOf = (name: string) => `https://${name}.example.com:${server.port}`
const cdn = (path: string) => `${originOf("cdn")}${path}`
const maps = (path: string) => `${originOf("maps")}${path}`

interface Options {
  readonly settings?: Partial<ErrataSettings["hostedMaps"]>
  /** Names whose origins are authorized. */
  readonly authorized?: ReadonlyArray<string>
  /** Null for those that Node knows. */
  readonly authorities?: string | null
}

interface Fixture {
  readonly projectId: ProjectId
  readonly find: HostedMaps["Service"]["find"]
}

/** Long timeouts for a busy machine, unless a test is about them. */
const patient = { timeout: Duration.seconds(60), headersTimeout: Duration.seconds(60) }

const usual = ["cdn", "maps", "both", "private", "nowhere"]

const nodeOf = (stores: Context.Context<Services.Stores>) =>
  Layer.build(
    HostedMapFetcher.layer.pipe(
      Layer.provide(NodeOutboundClient.layer),
      Layer.provide(Layer.succeedContext(stores)),
    ),
  ).pipe(Effect.map((context) => Context.get(context, HostedMaps)))

/** Runs with a project on its own storage and a node that fetches. */
const run = <A, E>(
  use: (fixture: Fixture) => Effect.Effect<A, E, Services.Stores>,
  { authorities = Hosted.certificate, authorized = usual, settings = {} }: Options = {},
): Promise<A> =>
  Effect.scoped(
    Effect.gen(function* () {
      const stores = yield* MemoryStorage.make
      const { find } = yield* nodeOf(stores)
      return yield* Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        const origins = yield* SourcemapStore
        const now = yield* DateTime.now
        for (const name of authorized) yield* origins.insertOrigin(projectId, originOf(name), now)
        return yield* use({ projectId, find })
      }).pipe(Effect.provide(stores))
    }),
  ).pipe(
    Effect.provideService(ErrataConfig, {
      ...defaultSettings,
      hostedMaps: { ...defaultSettings.hostedMaps, ...patient, ...settings },
    }),
    Effect.provideService(NameResolver, async (name: string) => addresses[name] ?? [Hosted.publicAddress]),
    Effect.provideService(AddressRule, (address: string) => address === Hosted.publicAddress),
    Effect.provideService(CertificateAuthorities, authorities ?? undefined),
    Effect.provide(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => logs.push(line))])),
    Effect.runPromise,
  )

/** The map's text, or the failure. */
const outcome = (found: ReturnType<HostedMaps["Service"]["find"]>): Effect.Effect<string, StorageError> =>
  found.pipe(
    Effect.map((map) => new TextDecoder().decode(map.json)),
    Effect.catchTag("HostedMapUnavailable", ({ code }: HostedMapUnavailable) => Effect.succeed(code)),
  )

const find = (url: string, options?: Options) =>
  run(({ find, projectId }) => outcome(find(projectId, url)), options)

/** Fetches a map that a script names. The script exists. */
const findMap = (route: Hosted.Route, options?: Options) => {
  server.routes.set("/app.js", body(comment("app.js.map")))
  server.routes.set("/app.js.map", route)
  return find(cdn("/app.js"), options)
}

describe("A hosted map", () => {
  it("is found by its script's reference, and requested without credentials or cookies", async () => {
    server.routes.set("/assets/app.js?v=3", body(comment("../maps/app.js.map?token=1#top")))
    server.routes.set("/maps/app.js.map?token=1", body(json, { "content-type": "application/json" }))
    const url = cdn("/assets/app.js?v=3").replace("https://", "https://somebody:secret@")
    const found = await run(({ find, projectId }) => find(projectId, `${url}#here`))
    expect(new TextDecoder().decode(found.json)).toBe(json)
    expect(found.url).toBe(cdn("/maps/app.js.map?token=1"))
    expect(server.asked.map((asked) => asked.url)).toEqual([cdn("/assets/app.js?v=3"), found.url])
    for (const { headers } of server.asked) {
      expect(headers).toEqual({
        host: `cdn.example.com:${server.port}`,
        accept: "*/*",
        "accept-encoding": "gzip, br",
        "user-agent": "errata",
        connection: "keep-alive",
      })
    }
  })

  it("is found by the header SourceMap, then by X-SourceMap, then by the last comment", async () => {
    for (const name of ["a", "b", "c"]) server.routes.set(`/${name}.map`, body(json.replace("a.ts", name)))
    const script = `${comment("d.map")}//@ sourceMappingURL=c.map\n`
    const sourceOf = async (headers: Record<string, string>) => {
      server.routes.set("/app.js", body(script, headers))
      return JSON.parse(await find(cdn("/app.js"))).sources[0]
    }
    expect(await sourceOf({ SourceMap: "a.map", "X-SourceMap": "b.map" })).toBe("a")
    expect(await sourceOf({ "X-SourceMap": maps("/b.map") })).toBe("b")
    expect(await sourceOf({})).toBe("c")
  })

  it("can be inline in its script's comment", async () => {
    const inData = async (reference: string) => {
      server.routes.set("/app.js", body(comment(reference)))
      return await find(cdn("/app.js"))
    }
    const base64 = Buffer.from(json).toString("base64")
    expect(await inData(`data:application/json;charset=utf-8;base64,${base64}`)).toBe(json)
    expect(await inData(`data:application/json,${encodeURIComponent(json)}`)).toBe(json)
    expect(await inData("data:application/json;base64,%%%")).toBe("source_map_malformed")
    expect(await inData("data:text/html,%3Cp%3E")).toBe("not_a_source_map")
  })

  it("is searched for in the last 64 KiB of a script", async () => {
    const filler = `${"x".repeat(99)}\n`.repeat(3000)
    server.routes.set("/app.js.map", body(json))
    server.routes.set("/end.js", body(filler + comment("app.js.map")))
    server.routes.set("/begin.js", body(comment("app.js.map") + filler))
    expect(await find(cdn("/end.js"))).toBe(json)
    expect(await find(cdn("/begin.js"))).toBe("no_source_map_reference")
  })

  it("is read after an XSSI guard, a byte order mark, and compressed", async () => {
    const forms: ReadonlyArray<Hosted.Route> = [
      body(`)]}'\n${json}`),
      body(`)]}',ignored\r\n  ${json}`),
      body(`\uFEFF${json}`),
      body(gzipSync(json), { "content-encoding": "gzip" }),
      body(brotliCompressSync(json), { "content-encoding": "br" }),
      body(json, { "content-encoding": "identity" }),
    ]
    for (const form of forms) expect(await findMap(form)).toBe(json)
  })

  it("is not a map if the response has other content", async () => {
    const page = "<!doctype html><title>A page for everything</title>"
    for (const answer of [page, `\n ${page}`, "not found", "", "[]", ")]}'"]) {
      expect([answer, await findMap(body(answer))]).toEqual([answer, "not_a_source_map"])
    }
    server.routes.set("/app.js", body(page))
    expect(await find(cdn("/app.js"))).toBe("no_source_map_reference")
  })

  it("is missing with a code for the response status", async () => {
    const statuses = { hosted_not_found: [404, 410], hosted_http_error: [204, 206, 304, 400, 403, 500, 503] }
    for (const [code, list] of Object.entries(statuses)) {
      for (const status of list) {
        const route = body(status === 204 || status === 304 ? "" : json, {}, status)
        expect([status, await findMap(route)]).toEqual([status, code])
        server.routes.set("/gone.js", route)
        expect([status, await find(cdn("/gone.js"))]).toEqual([status, code])
      }
    }
  })

  it("is not read with an unsupported or wrong encoding", async () => {
    const whole = gzipSync(json.repeat(100))
    const wrong: ReadonlyArray<Hosted.Route> = [
      body(json, { "content-encoding": "zstd" }),
      body(whole, { "content-encoding": "gzip, gzip" }),
      body(json, { "content-encoding": "gzip" }),
      body(json, { "content-encoding": "br" }),
      body(whole.subarray(0, -20), { "content-encoding": "gzip" }),
    ]
    for (const route of wrong) expect(await findMap(route)).toBe("hosted_http_error")
  })

  it("is rejected above the size limit before it is in memory", async () => {
    const settings = { maxMapBytes: 1024 * 1024, maxScriptBytes: 1024 * 1024 }
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, " "))
    expect(bomb.length).toBeLessThan(100_000)
    const emptyMembers = Buffer.alloc(2 * 1024 * 1024, gzipSync(""))
    const forms: ReadonlyArray<Hosted.Route> = [
      body(bomb, { "content-encoding": "gzip" }),
      // Decoded it is nothing.
      body(emptyMembers, { "content-encoding": "gzip" }),
      body(Buffer.alloc(2 * 1024 * 1024, " ")),
    ]
    for (const form of forms) {
      expect(await findMap(form, { settings })).toBe("source_map_too_large")
      server.routes.set("/large.js", form)
      expect(await find(cdn("/large.js"), { settings })).toBe("source_map_too_large")
    }
    await expect.poll(server.openConnections, { timeout: 20_000 }).toBe(0)
  })
})

describe("A redirect", () => {
  it("is followed three times, each time to an authorized origin", async () => {
    server.routes.set("/app.js", redirect("/1", 301))
    server.routes.set("/1", redirect(maps("/2"), 307))
    server.routes.set("/2", redirect("deeper/app.js", 308))
    server.routes.set("/deeper/app.js", body(comment("app.js.map")))
    server.routes.set("/deeper/app.js.map", redirect(cdn("/map"), 303))
    server.routes.set("/map", body(json))
    const found = await run(({ find, projectId }) => find(projectId, cdn("/app.js")))
    expect(found.url).toBe(cdn("/map"))
    expect(server.asked.map(({ url }) => url)).toEqual([
      cdn("/app.js"),
      cdn("/1"),
      maps("/2"),
      maps("/deeper/app.js"),
      maps("/deeper/app.js.map"),
      cdn("/map"),
    ])
    server.routes.set("/0", redirect("/app.js"))
    expect(await find(cdn("/0"))).toBe("hosted_redirect")
    server.routes.set("/round", redirect("/round"))
    expect(await find(cdn("/round"))).toBe("hosted_redirect")
  })

  it("is not followed elsewhere", async () => {
    const hits: ReadonlyArray<readonly [location: string, code: string]> = [
      [`https://other.example.com:${server.port}/map`, "origin_not_authorized"],
      [`https://cdn.example.com/map`, "origin_not_authorized"],
      [`https://127.0.0.1:${server.port}/map`, "origin_not_authorized"],
      ["https://169.254.169.254/latest/meta-data", "origin_not_authorized"],
      [`http://cdn.example.com:${server.port}/map`, "insecure_url"],
      ["file:///etc/passwd", "insecure_url"],
      [`${originOf("private")}/map`, "address_not_public"],
      ["https://[", "hosted_redirect"],
    ]
    server.routes.set("/map", body(json))
    for (const [location, code] of hits) {
      expect([location, await findMap(redirect(location))]).toEqual([location, code])
    }
    expect(await findMap(body("nowhere", {}, 302))).toBe("hosted_redirect")
    const asked = new Set(server.asked.map(({ url }) => new URL(url).pathname))
    expect([...asked].sort()).toEqual(["/app.js", "/app.js.map"])
  })
})

describe("An address", () => {
  it("is connected to only if it is public, also among several addresses of a name", async () => {
    server.routes.set("/app.js", body(comment(`${originOf("private")}/app.js.map`)))
    server.routes.set("/app.js.map", body(json))
    expect(await find(`${originOf("both")}/app.js`)).toBe("address_not_public")
    server.routes.set("/app.js", body(comment("app.js.map")))
    expect(await find(`${originOf("both")}/app.js`)).toBe(json)
    expect(await find(`${originOf("private")}/app.js`)).toBe("address_not_public")
    expect(server.asked.map(({ address }) => address)).toEqual(server.asked.map(() => Hosted.publicAddress))
  })

  it("is not requested without authorization", async () => {
    server.routes.set("/app.js", body(comment("app.js.map")))
    const cases: ReadonlyArray<readonly [url: string, code: string]> = [
      [maps("/app.js"), "origin_not_authorized"],
      [cdn("/app.js").replace(`:${server.port}`, ""), "origin_not_authorized"],
      [cdn("/app.js").replace("https", "http"), "insecure_url"],
      ["app:///index.android.bundle", "artifact_not_uploaded"],
      ["/srv/app.js", "artifact_not_uploaded"],
      ["webpack-internal:///app.js", "artifact_not_uploaded"],
    ]
    for (const [url, code] of cases)
      expect([url, await find(url, { authorized: ["cdn"] })]).toEqual([url, code])
    expect(server.asked).toEqual([])
    server.routes.set("/app.js", body(comment(maps("/app.js.map"))))
    expect(await find(cdn("/app.js"), { authorized: ["cdn"] })).toBe("origin_not_authorized")
    server.routes.set("/app.js", body(comment("http://cdn.example.com/app.js.map")))
    expect(await find(cdn("/app.js"), { authorized: ["cdn"] })).toBe("insecure_url")
    expect(server.asked.map(({ url }) => url)).toEqual([cdn("/app.js"), cdn("/app.js")])
  })

  it("fails if the host is unknown, untrusted or cuts the response", async () => {
    server.routes.set("/app.js", body(comment("app.js.map")))
    expect(await find(`${originOf("nowhere")}/app.js`)).toBe("hosted_unreachable")
    expect(await find(cdn("/app.js"), { authorities: null })).toBe("hosted_unreachable")
    server.routes.set("/broken.js", (_, response) => {
      response.writeHead(200, { "content-length": "1000" }).write("run()", () => response.destroy())
    })
    expect(await find(cdn("/broken.js"))).toBe("hosted_unreachable")
  })

  it("is abandoned after a timeout of the headers or the body", async () => {
    const drip: Hosted.Route = (_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write("x"), 20)
      response.once("close", () => clearInterval(timer))
    }
    const quick = { timeout: Duration.seconds(60), headersTimeout: Duration.millis(150) }
    server.routes.set("/silent.js", () => {})
    expect(await find(cdn("/silent.js"), { settings: quick })).toBe("hosted_timeout")
    const short = { timeout: Duration.millis(300), headersTimeout: Duration.seconds(60) }
    server.routes.set("/slow.js", drip)
    expect(await find(cdn("/slow.js"), { settings: short })).toBe("hosted_timeout")
    await expect.poll(server.openConnections, { timeout: 20_000 }).toBe(0)
  })

  it("does not reveal responses in errors or logs", async () => {
    const secret = "a secret of the server"
    server.routes.set("/app.js", body(secret, { "x-secret": secret }, 500))
    const exit = await run(({ find, projectId }) => Effect.exit(find(projectId, cdn("/app.js"))))
    expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("hosted_http_error")
    expect(JSON.stringify(exit) + logs.join("\n")).not.toContain(secret)
  })
})

describe("A fetched map", () => {
  const turn = Effect.fnUntraced(function* (enabled: boolean) {
    const policies = yield* PolicyStore
    yield* policies.save(
      "hostedSourcemaps",
      { ...defaultPolicies.hostedSourcemaps, enabled },
      yield* DateTime.now,
    )
  })

  /** Waits for this many requests. */
  const isAsked = (times: number) =>
    Effect.promise(() => expect.poll(() => server.asked.length, { timeout: 20_000 }).toBe(times))

  it("is fetched once for all callers on all nodes, and then cached", async () => {
    server.routes.set("/app.js", (request, response) => {
      setTimeout(() => body(comment("app.js.map"))(request, response), 50)
    })
    server.routes.set("/app.js.map", body(json))
    await run(({ find, projectId }) =>
      Effect.gen(function* () {
        const other = yield* nodeOf(yield* Effect.context<Services.Stores>())
        const wanted = [find, other.find, find, other.find, find].map((find) =>
          outcome(find(projectId, cdn("/app.js"))),
        )
        const found = yield* Effect.all(wanted, { concurrency: "unbounded" })
        expect(found).toEqual([json, json, json, json, json])
        expect(yield* outcome(other.find(projectId, cdn("/app.js#again")))).toBe(json)
      }).pipe(Effect.scoped),
    )
    expect(server.asked.map(({ url }) => url)).toEqual([cdn("/app.js"), cdn("/app.js.map")])
  })

  it("is cached for one project, as is a missing map", async () => {
    await run(({ find, projectId }) =>
      Effect.gen(function* () {
        const other = yield* Given.project()
        const origins = yield* SourcemapStore
        yield* origins.insertOrigin(other.id, originOf("cdn"), yield* DateTime.now)
        expect(yield* outcome(find(projectId, cdn("/app.js")))).toBe("hosted_not_found")
        expect(yield* outcome(find(projectId, cdn("/app.js")))).toBe("hosted_not_found")
        expect(server.asked).toHaveLength(1)
        server.routes.set("/app.js", body(comment("app.js.map")))
        server.routes.set("/app.js.map", body(json))
        expect(yield* outcome(find(other.id, cdn("/app.js")))).toBe(json)
        expect(yield* outcome(find(projectId, cdn("/app.js")))).toBe("hosted_not_found")
      }),
    )
  })

  it("is unavailable while the policy is off, and available immediately when it is on again", async () => {
    server.routes.set("/app.js", body(comment("app.js.map")))
    server.routes.set("/app.js.map", body(json))
    server.routes.set("/late.js", body(comment("app.js.map")))
    await run(({ find, projectId }) =>
      Effect.gen(function* () {
        expect(yield* outcome(find(projectId, cdn("/app.js")))).toBe(json)
        server.asked.length = 0
        yield* turn(false)
        expect(yield* outcome(find(projectId, cdn("/app.js")))).toBe("hosted_fetching_disabled")
        expect(yield* outcome(find(projectId, cdn("/late.js")))).toBe("hosted_fetching_disabled")
        expect(server.asked).toEqual([])
        yield* turn(true)
        expect(yield* outcome(find(projectId, cdn("/late.js")))).toBe(json)
      }),
    )
  })

  it("sends no further requests once the policy is off", async () => {
    const isOff = Deferred.makeUnsafe<void>()
    server.routes.set("/app.js", (request, response) => {
      Effect.runPromise(Deferred.await(isOff)).then(() => body(comment("app.js.map"))(request, response))
    })
    server.routes.set("/app.js.map", body(json))
    await run(({ find, projectId }) =>
      Effect.gen(function* () {
        const finding = yield* Effect.forkChild(outcome(find(projectId, cdn("/app.js"))))
        yield* isAsked(1)
        yield* turn(false)
        yield* Deferred.succeed(isOff, undefined)
        expect(yield* Fiber.join(finding)).toBe("hosted_fetching_disabled")
        yield* turn(true)
        expect(yield* outcome(find(projectId, cdn("/app.js")))).toBe(json)
      }),
    )
  })

  it("is fetched again after an interruption", async () => {
    server.routes.set("/app.js", () => {})
    server.routes.set("/app.js.map", body(json))
    await run(({ find, projectId }) =>
      Effect.gen(function* () {
        const finding = yield* Effect.forkChild(outcome(find(projectId, cdn("/app.js"))))
        yield* isAsked(1)
        yield* Fiber.interrupt(finding)
        server.routes.set("/app.js", body(comment("app.js.map")))
        expect(yield* outcome(find(projectId, cdn("/app.js")))).toBe(json)
      }),
    )
  })

  it("does not block other projects if a project's servers do not answer", async () => {
    server.routes.set("/app.js", body(comment("app.js.map")))
    server.routes.set("/app.js.map", body(json))
    for (let i = 0; i < 6; i++) server.routes.set(`/silent${i}.js`, () => {})
    await run(({ find, projectId }) =>
      Effect.gen(function* () {
        const other = yield* Given.project()
        const origins = yield* SourcemapStore
        yield* origins.insertOrigin(other.id, originOf("cdn"), yield* DateTime.now)
        const silent = yield* Effect.forEach([0, 1, 2, 3, 4, 5], (i) =>
          Effect.forkChild(outcome(find(projectId, cdn(`/silent${i}.js`)))),
        )
        yield* isAsked(2)
        expect(yield* outcome(find(other.id, cdn("/app.js")))).toBe(json)
        expect(server.asked).toHaveLength(4)
        yield* Fiber.interruptAll(silent)
      }),
    )
  })
})

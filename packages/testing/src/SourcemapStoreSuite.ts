/** Downloaded maps and the leases for downloading them, by the storage's clock. */
import type { ProjectId } from "@errata/core"
import { HostedMapJob } from "@errata/core/internal"
import { type HostedOutcome, type HostedScript, SourcemapStore } from "@errata/core/ports"
import { Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { withOrigins } from "./internal/Origins.js"

const cdn = "https://cdn.example.com"
const maps = "https://maps.example.com"
const lease = Duration.seconds(30)
const day = Duration.hours(24)

/** A project with both origins. */
const givenProject = Effect.gen(function* () {
  const origins = yield* SourcemapStore
  const { id } = yield* Given.project()
  yield* origins.insertOrigin(id, cdn, Factory.noon)
  yield* origins.insertOrigin(id, maps, Factory.noon)
  return id
})

const scriptOf = (projectId: ProjectId, name = "app.js"): HostedScript => ({
  projectId,
  url: `${cdn}/${name}`,
})

const mapOf = (text: string): HostedOutcome => ({
  _tag: "Found",
  map: { json: new TextEncoder().encode(text), url: `${maps}/app.js.map` },
})

const missing: HostedOutcome = { _tag: "Missing", code: "hosted_not_found" }

const claim = (script: HostedScript) =>
  Effect.flatMap(SourcemapStore, (cache) => cache.claimMap(script, lease))

const isClaimed = (script: HostedScript) => Effect.map(claim(script), Option.isSome)

/** The cached outcome in a form for comparison: the map's text, an error code, or null. */
const known = (script: HostedScript) =>
  Effect.flatMap(SourcemapStore, (cache) =>
    Effect.map(
      cache.findMap(script),
      Option.match({
        onNone: () => null,
        onSome: (outcome) =>
          outcome._tag === "Found" ? new TextDecoder().decode(outcome.map.json) : outcome.code,
      }),
    ),
  )

interface Settling {
  readonly origins?: ReadonlyArray<string>
  readonly keep?: Duration.Duration
  readonly maxBytes?: number
}

const settle = (
  script: HostedScript,
  number: number,
  outcome: HostedOutcome,
  { keep = day, maxBytes = 1e6, origins = [cdn] }: Settling = {},
) =>
  Effect.flatMap(SourcemapStore, (cache) =>
    cache.settleMap(script, number, { outcome, origins, keep, maxBytes }),
  )

const keep = (script: HostedScript, outcome: HostedOutcome, settling: Settling = {}) =>
  Effect.gen(function* () {
    const number = Option.getOrThrow(yield* claim(script))
    yield* settle(script, number, outcome, settling)
    return number
  })

export const sourcemapStoreSuite: ContractSuite = {
  name: "SourcemapStore",
  cases: [
    contractCase(
      "stores found maps byte for byte, for one project",
      Effect.gen(function* () {
        const cache = yield* SourcemapStore
        const mine = scriptOf(yield* givenProject)
        const theirs = scriptOf(yield* givenProject)
        expect(yield* known(mine)).toBeNull()
        const json = Uint8Array.from({ length: 300_000 }, (_, i) => (i * i) % 256)
        const map = { json, url: `${maps}/é?v=1` }
        yield* keep(mine, { _tag: "Found", map })
        const found = Option.getOrThrow(
          yield* onSecondNode(Effect.flatMap(SourcemapStore, (c) => c.findMap(mine))),
        )
        expect(found._tag === "Found" && found.map.url).toBe(map.url)
        expect(found._tag === "Found" && Buffer.compare(found.map.json, json)).toBe(0)
        expect(Option.isNone(yield* cache.findMap(theirs))).toBe(true)
        yield* keep(theirs, missing)
        expect(yield* known(theirs)).toBe("hosted_not_found")
      }),
    ),

    contractCase(
      "distinguishes scripts by their whole URL, of any length",
      Effect.gen(function* () {
        const project = yield* givenProject
        const [one, other] = ["1", "2"].map((end) => scriptOf(project, `${"x".repeat(20_000)}?${end}`))
        yield* keep(one!, mapOf("{}"))
        expect([yield* known(one!), yield* known(other!)]).toEqual(["{}", null])
      }),
    ),

    contractCase(
      "grants one claim at a time, and none while a result is cached",
      Effect.gen(function* () {
        const script = scriptOf(yield* givenProject)
        const claims = yield* Effect.all(
          [claim(script), onSecondNode(claim(script)), claim(script), onSecondNode(claim(script))],
          { concurrency: "unbounded" },
        )
        const [number, ...others] = claims.flatMap(Option.toArray)
        expect(others).toEqual([])
        expect(yield* known(script)).toBeNull()
        expect(yield* isClaimed({ ...script, url: `${script.url}?2` })).toBe(true)
        yield* settle(script, number!, mapOf("{}"))
        expect(yield* onSecondNode(isClaimed(script))).toBe(false)
      }),
    ),

    contractCase(
      "grants a new claim after expiry, and ignores results for the old claim",
      Effect.gen(function* () {
        const cache = yield* SourcemapStore
        const script = scriptOf(yield* givenProject)
        const late = Option.getOrThrow(yield* claim(script))
        yield* advance("20 seconds")
        expect(yield* onSecondNode(isClaimed(script))).toBe(false)
        yield* advance("11 seconds")
        const number = Option.getOrThrow(yield* onSecondNode(claim(script)))
        yield* settle(script, late, mapOf("late"))
        yield* cache.releaseMap(script, late)
        expect(yield* known(script)).toBeNull()
        expect(yield* isClaimed(script)).toBe(false)
        yield* settle(script, number, mapOf("right"))
        yield* settle(script, late, mapOf("late"))
        expect(yield* known(script)).toBe("right")
      }),
    ),

    contractCase(
      "grants a new claim after a release, which keeps settled results",
      Effect.gen(function* () {
        const cache = yield* SourcemapStore
        const script = scriptOf(yield* givenProject)
        yield* cache.releaseMap(script, Option.getOrThrow(yield* claim(script)))
        const number = Option.getOrThrow(yield* claim(script))
        yield* settle(script, number, missing)
        yield* cache.releaseMap(script, number)
        expect(yield* known(script)).toBe("hosted_not_found")
      }),
    ),

    contractCase(
      "expires results after their time, and grants claims again",
      Effect.gen(function* () {
        const script = scriptOf(yield* givenProject)
        yield* keep(script, missing, { keep: Duration.minutes(10) })
        yield* advance("9 minutes")
        expect([yield* known(script), yield* isClaimed(script)]).toEqual(["hosted_not_found", false])
        yield* advance("2 minutes")
        expect(yield* known(script)).toBeNull()
        yield* keep(script, mapOf("{}"))
        expect(yield* known(script)).toBe("{}")
      }),
    ),

    contractCase(
      "stores no map from an origin that the project has removed",
      Effect.gen(function* () {
        const origins = yield* SourcemapStore
        const project = yield* givenProject
        const script = scriptOf(project)
        const number = Option.getOrThrow(yield* claim(script))
        const [last] = (yield* origins.listOrigins(project, { limit: 1, cursor: null })).items
        expect(last?.origin).toBe(maps)
        yield* origins.removeOrigin(project, last!.id)
        yield* settle(script, number, mapOf("{}"), { origins: [cdn, maps] })
        expect(yield* known(script)).toBeNull()
        // The script can be claimed again.
        yield* keep(script, mapOf("{}"), { origins: [cdn] })
        expect(yield* known(script)).toBe("{}")
      }),
    ),

    contractCase(
      "removes the maps of a removed origin, and no others",
      Effect.gen(function* () {
        const project = yield* givenProject
        const other = scriptOf(yield* givenProject)
        const [direct, mapped, failed, inline] = ["direct", "mapped", "failed", "inline"].map((name) =>
          scriptOf(project, name),
        )
        yield* keep(other, mapOf("{}"), { origins: [cdn, maps] })
        yield* keep(direct!, mapOf("{}"), { origins: [maps] })
        yield* keep(mapped!, mapOf("{}"), { origins: [cdn, maps] })
        yield* keep(failed!, missing, { origins: [cdn, maps] })
        yield* keep(inline!, mapOf("{}"), { origins: [cdn] })
        const origins = yield* SourcemapStore
        const [last] = (yield* origins.listOrigins(project, { limit: 1, cursor: null })).items
        yield* withOrigins(project, (service, authorized) => service.remove(authorized, last!.id))
        const all = yield* Effect.forEach([direct!, mapped!, failed!, inline!, other], known)
        expect(all).toEqual([null, null, null, "{}", "{}"])
      }),
    ),

    contractCase(
      "keeps no map of an origin that is removed while the map is stored",
      Effect.gen(function* () {
        const origins = yield* SourcemapStore
        const project = yield* givenProject
        const [last] = (yield* origins.listOrigins(project, { limit: 1, cursor: null })).items
        const scripts = Array.from({ length: 12 }, (_, i) => scriptOf(project, String(i)))
        const numbers = yield* Effect.forEach(scripts, (script) =>
          Effect.map(claim(script), Option.getOrThrow),
        )
        yield* Effect.all(
          [
            ...scripts.map((script, i) => {
              const settled = settle(script, numbers[i]!, mapOf("{}"), { origins: [cdn, maps] })
              return i % 2 === 0 ? settled : onSecondNode(settled)
            }),
            withOrigins(project, (service, authorized) => service.remove(authorized, last!.id)),
          ],
          { concurrency: "unbounded" },
        )
        expect(yield* Effect.forEach(scripts, known)).toEqual(scripts.map(() => null))
      }),
    ),

    contractCase(
      "deletes results of missing maps when an origin is added",
      Effect.gen(function* () {
        const project = yield* givenProject
        const [without, found] = ["without", "found"].map((name) => scriptOf(project, name))
        const other = scriptOf(yield* givenProject)
        yield* keep(without!, { _tag: "Missing", code: "origin_not_authorized" })
        yield* keep(found!, mapOf("{}"))
        yield* keep(other, missing)
        yield* withOrigins(project, (service, authorized) =>
          service.create(authorized, "https://third.example.com"),
        )
        expect(yield* Effect.forEach([without!, found!, other], known)).toEqual([
          null,
          "{}",
          "hosted_not_found",
        ])
      }),
    ),

    contractCase(
      "removes the oldest maps of a project beyond its bytes, counted uncompressed",
      Effect.gen(function* () {
        const project = yield* givenProject
        const other = scriptOf(yield* givenProject)
        const [reason, first, second, third] = ["0", "1", "2", "3"].map((name) => scriptOf(project, name))
        const map = mapOf("x".repeat(1000))
        yield* keep(other, map, { maxBytes: 2500 })
        yield* keep(reason!, missing, { maxBytes: 2500 })
        yield* keep(first!, map, { maxBytes: 2500 })
        yield* keep(second!, map, { maxBytes: 2500 })
        expect(yield* known(first!)).not.toBeNull()
        yield* keep(third!, map, { maxBytes: 2500 })
        const kept = yield* Effect.forEach([other, reason!, first!, second!, third!], known)
        expect(kept.map((text) => text?.length ?? 0)).toEqual([1000, 16, 0, 1000, 1000])
      }),
    ),

    contractCase(
      "removes expired entries in steps, and no others",
      Effect.gen(function* () {
        const cache = yield* SourcemapStore
        yield* HostedMapJob.expire
        const project = yield* givenProject
        const names = ["a", "b", "c", "d"].map((name) => scriptOf(project, name))
        yield* claim(names[0]!)
        yield* keep(names[1]!, missing, { keep: Duration.seconds(30) })
        yield* keep(names[2]!, mapOf("{}"), { keep: Duration.seconds(30) })
        yield* keep(names[3]!, mapOf("{}"))
        expect(yield* cache.expireMaps(10)).toBe(0)
        yield* advance("31 seconds")
        expect(yield* cache.expireMaps(2)).toBe(2)
        expect(yield* HostedMapJob.expire).toBe(1)
        expect(yield* known(names[3]!)).toBe("{}")
      }),
    ),
  ],
}

import { StorageError } from "@errata/core"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  createErrata,
  type ErrataOptions,
  ErrataStartError,
  type LogLine,
  memory,
  type SettingsInput,
} from "../src/index.js"
import { failureOf, instances } from "./support/Instances.js"
import { keyedStorage } from "./support/KeyedStorage.js"

describe("createErrata", () => {
  const make = instances()

  it("creates an instance with a project, and records captured errors", async () => {
    const errata = await make()
    expect(errata.project).toEqual({
      id: expect.any(Number),
      name: "First project",
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const { capture, close, flush, groups } = errata
    const eventId = await capture(new TypeError("no tea"))
    await flush()
    expect((await groups.list(errata.project.id)).groups).toMatchObject([
      { error_type: "TypeError", error_message: "no tea", reports_count: 1 },
    ])
    const report = await errata.reports.findByEventId(errata.project.id, eventId)
    expect(report).toMatchObject({ event_id: eventId, platform: "node", sdk: { name: "errata" } })
    await close()
    await close()
  })

  it("keeps its project when people rename it, and takes over a project of its name without a key", async () => {
    const { storage } = await keyedStorage()
    const first = await make({ storage, project: "Tea" })
    const cake = await first.projects.create({ name: "Cake" })
    expect((await make({ storage, project: { key: "cake", name: "Cake" } })).project.id).toBe(cake.id)
    await first.projects.update(first.project.id, { name: "Coffee" })
    await first.projects.update(cake.id, { name: "Tea" })
    for (const project of ["Tea", " Tea ", { key: "Tea", name: "Whatever" }]) {
      expect((await make({ storage, project })).project).toEqual({ ...first.project, name: "Coffee" })
    }
    expect((await make({ storage, project: { key: "cake" } })).project.id).toBe(cake.id)
    expect((await first.projects.list()).projects.map(({ name }) => name)).toEqual(["Tea", "Coffee"])
    await first.projects.remove(first.project.id)
    expect((await make({ storage, project: { key: "Tea", name: "New" } })).project).toMatchObject({
      name: "New",
    })
  })

  it("rejects a project of another application", async () => {
    const { storage } = await keyedStorage()
    const lines: Array<string> = []
    const tea = await make({ storage, project: { key: "tea", name: "Tea" } })
    expect(await failureOf(make({ storage, project: "Tea" }))).toMatchObject({
      code: "StartFailed",
      message: expect.stringContaining(
        'project "Tea" belongs to another application. Set another key and name',
      ),
    })
    const log = ({ level, message }: LogLine) => lines.push(`${level}: ${message}`)
    const other = await make({ storage, log })
    expect(other.project).toMatchObject({ name: "First project" })
    expect(lines).toEqual([])
    expect((await make({ storage, log })).project).toEqual(other.project)
    expect(lines).toEqual([expect.stringMatching(/^warning: The option project is not set\. /)])
    await make({ storage, project: "First project" })
    expect(await failureOf(make({ storage }))).toMatchObject({
      message: expect.stringContaining('project "First project" belongs to another application'),
    })
    expect((await tea.projects.list()).projects.length).toBe(2)
  })

  it("creates independent instances", async () => {
    const [one, two] = await Promise.all([make({ project: "One" }), make({ project: "Two" })])
    const heard: Array<string> = []
    one.on("group.created", () => void heard.push("one"))
    two.on("group.created", () => void heard.push("two"))
    await one.capture(new Error("a"))
    await one.flush()
    await two.flush()
    expect(heard).toEqual(["one"])
    expect((await one.groups.list(one.project.id)).groups.length).toBe(1)
    expect((await two.groups.list(two.project.id)).groups).toEqual([])
    await one.close()
    await two.capture(new Error("still there"))
    await two.flush()
  })

  it("adds environment, release and host to errors without them", async () => {
    const errata = await make({ environment: "test", release: "tea@1", serverName: "kitchen" })
    const ids = [
      await errata.capture(new Error("a")),
      await errata.capture(new Error("a"), { environment: "live", release: "tea@2", serverName: "bar" }),
    ]
    await errata.flush()
    const [usual, own] = await Promise.all(
      ids.map((id) => errata.reports.findByEventId(errata.project.id, id)),
    )
    expect(usual).toMatchObject({ environment: "test", release_version: "tea@1", server_name: "kitchen" })
    expect(own).toMatchObject({ environment: "live", release_version: "tea@2", server_name: "bar" })
  })

  it("uses the given clock", async () => {
    let now = Date.parse("2020-01-01T00:00:00Z")
    const errata = await make({ now: () => now })
    await errata.capture(new Error("a"), { fingerprint: ["a"] })
    await errata.flush()
    now += 60_000
    await errata.capture(new Error("a"), { fingerprint: ["a"] })
    await errata.flush()
    expect((await errata.groups.list(errata.project.id)).groups).toMatchObject([
      { first_occurred_at: "2020-01-01T00:00:00.000Z", last_occurred_at: "2020-01-01T00:01:00.000Z" },
    ])
  })

  it("reads settings in the form of configuration files", async () => {
    const errata = await make({ settings: { serviceName: "acme", recorder: { workers: 1 } } })
    expect((await errata.fetch(new Request("https://x.example/api/acme/v1/projects"))).status).toBe(401)
    expect((await errata.projects.list()).projects.length).toBe(1)
  })

  it.each<[string, object, string]>([
    ["a setting that there is not", { recorder: { wrokers: 1 } }, "unknown setting recorder.wrokers"],
    ["a value out of bounds", { recorder: { workers: 99 } }, "the setting recorder.workers must be"],
    [
      "settings that do not go together",
      { ingestLimits: { maxBodyBytes: "64 KiB" } },
      "the setting ingestLimits.",
    ],
  ])("refuses %s", async (_, settings, message) => {
    const failure = await failureOf(make({ settings: settings as SettingsInput }))
    expect(failure).toBeInstanceOf(ErrataStartError)
    expect((failure as Error).message).toContain(message)
  })

  it("rejects an invalid key, and a project without a name", async () => {
    expect(await failureOf(make({ encryptionKey: "short" }))).toMatchObject({
      code: "StartFailed",
      message: expect.stringContaining("encryptionKey must be 32 bytes"),
    })
    expect(await failureOf(make({ project: " " }))).toMatchObject({ code: "StartFailed", status: null })
  })

  it("refuses options that it does not know, and a missing storage", async () => {
    const starting = (options: object) => failureOf(createErrata(options as ErrataOptions))
    expect(await starting({ storage: memory(), relaese: "1" })).toMatchObject({
      code: "StartFailed",
      message: expect.stringContaining("unknown option relaese. The options are storage, "),
    })
    expect(await starting({})).toMatchObject({
      code: "StartFailed",
      message: expect.stringContaining("the option storage is missing. Pass memory()"),
    })
    for (const project of [7, null, { name: "Shop" }, { key: "shop", nam: "Shop" }, { key: "a", name: 1 }]) {
      expect(await starting({ storage: memory(), project })).toMatchObject({
        message: expect.stringContaining("the option project must be a text, or an object such as"),
      })
    }
  })

  it.each<[string, unknown]>([
    ["adapters", []],
    ["transports", {}],
    ["baseUrl", "/errors"],
    ["release", 3],
    ["environment", null],
    ["tracer", {}],
    ["encryptionKey", 3],
    ["settings", "recorder"],
    ["access", {}],
    ["people", () => "ann@example.com"],
    ["dashboard", true],
    ["frameAncestors", "https://portal.example.com"],
    ["frameAncestors", ["https://portal.example.com; script-src *"]],
    ["corsOrigins", "https://app.example.com"],
    ["corsOrigins", ["https://app.example.com/"]],
    ["metrics", "token"],
    ["metrics", { token: undefined }],
    ["metrics", { token: "" }],
    ["trustedProxies", "1"],
    ["log", console],
    ["now", new Date(0)],
  ])("the option %s cannot be %j", async (name, value) => {
    expect(await failureOf(createErrata({ storage: memory(), [name]: value }))).toMatchObject({
      code: "StartFailed",
      message: expect.stringContaining(`the option ${name} must be`),
    })
  })

  it("does not start if the files of the dashboard are missing", async () => {
    const dashboard: NonNullable<ErrataOptions["dashboard"]> = {
      get assets(): never {
        throw new Error("The files of the dashboard are missing")
      },
      shell: () => "",
    }
    expect(await failureOf(createErrata({ storage: memory(), dashboard }))).toMatchObject({
      code: "StartFailed",
      message: "createErrata failed: The files of the dashboard are missing",
    })
  })

  it("refuses options of storages that they do not know", async () => {
    const { embedded } = await import("../src/embedded.js")
    const { postgres } = await import("../src/postgres.js")
    const url = "postgres://localhost/none"
    expect(() => postgres({ url, scheme: "shop" } as { url: string })).toThrow(
      "Unknown option scheme of postgres. The options are url, workerUrls, maxConnections, pool,",
    )
    for (const options of [
      {},
      { url: "" },
      { url: "localhost:5432/shop" },
      { pool: url },
      { pool: undefined },
    ]) {
      expect(() => postgres(options as { url: string })).toThrow("postgres requires the option url, such as")
    }
    expect(() => postgres({ url, workerUrls: ["localhost:5441/shop"] })).toThrow(
      "The option workerUrls of postgres must be a list of URLs",
    )
    expect(() => embedded({ folder: "x" } as unknown as { dir: string })).toThrow(
      "Unknown option folder of embedded",
    )
    for (const options of [{}, { dir: "" }]) {
      expect(() => embedded(options as { dir: string })).toThrow("embedded requires the option dir")
    }
  })

  it("refuses to listen to events that do not exist, and options that it does not know", async () => {
    const { on } = await make()
    expect(() => on("group.created", () => {}, { queu: "mail" } as object)).toThrow(
      "Unknown option queu of on. The options are project, queue",
    )
    for (const project of [[], [0], Number.NaN, "everything" as "all"]) {
      expect(() => on("group.created", () => {}, { project })).toThrow("must be all, or ids of projects")
    }
    expect(() => on("group.creatd" as "group.created", () => {})).toThrow(
      "Unknown event group.creatd. Events are",
    )
  })

  it("fails without an open instance if the storage cannot be opened", async () => {
    let open = 0
    const layer = Layer.effectContext(
      Effect.fail({
        message: "the database cannot be reached: no route",
        cause: new StorageError({ operation: "connect", reason: "unavailable", cause: "x" }),
      }),
    )
    const failure = await failureOf(createErrata({ storage: { name: "away", layer }, log: () => open++ }))
    expect(failure).toBeInstanceOf(ErrataStartError)
    expect(failure).toMatchObject({
      message: "createErrata failed: the database cannot be reached: no route",
      cause: { cause: { _tag: "StorageError" } },
    })
  })

  it("closes at the end of its block", async () => {
    const errata = await createErrata({ storage: memory(), log: "silent" })
    await errata[Symbol.asyncDispose]()
    expect(await failureOf(errata.flush())).toMatchObject({ code: "Closed" })
  })
})

/**
 * Releases and uploads of real clients: three generations of command-line tools, and plugins of four bundlers. The
 * chunk size is small, so that uploads have many chunks.
 */
import { randomUUID } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Rest from "../support/Rest.js"
import * as Server from "../support/Server.js"
import * as UploadClient from "./support/UploadClient.js"

interface Bundle {
  readonly kind: string
  readonly state: string
  readonly detail: string | null
  readonly files_count: number
  readonly links: ReadonlyArray<{ readonly release: string | null; readonly dist: string | null }>
}

const scope = Effect.runSync(Scope.make())
let server: Server.Server
let home: string

const project = async (name: string): Promise<number> =>
  (await Effect.runPromise(Rest.createProject(server, name))).id

const get = async (path: string) => {
  const answer = await fetch(`${server.url}/api/service/v1${path}`, {
    headers: { authorization: `Bearer ${server.apiKey}` },
  })
  expect(answer.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
  return (await answer.json()) as any
}

const bundlesOf = async (id: number): Promise<ReadonlyArray<Bundle>> =>
  (await get(`/projects/${id}/artifact_bundles`)).artifact_bundles

const releasesOf = async (id: number): Promise<ReadonlyArray<Record<string, unknown>>> =>
  (await get(`/projects/${id}/releases`)).releases

beforeAll(async () => {
  home = UploadClient.folder()
  server = await Effect.runPromise(
    Scope.provide(Server.start(["--storage", "memory"], { ERRATA_ARTIFACTS_CHUNK_BYTES: "1 KiB" }), scope),
  )
})

afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rmSync(home, { recursive: true, force: true })
})

describe.each(UploadClient.commandLineClients)("$name", ({ engine, name, run }) => {
  const isRust = engine === "rust"

  const upload = (projects: ReadonlyArray<string>, dist: string, options: ReadonlyArray<string> = []) =>
    isRust
      ? run(server, home, [
          "sourcemaps",
          "upload",
          ...projects.flatMap((project) => ["--project", project]),
          ...options,
          dist,
        ])
      : run(server, home, ["sourcemap", "upload", ...options, dist], { SENTRY_PROJECT: projects[0]! })

  it("uploads by debug ids without a release, and equal files only once", async () => {
    const id = await project(`${name} ids`)
    const slug = `${name}-ids`
    const dist = UploadClient.writeBuild(home)
    if (isRust) expect(await run(server, home, ["sourcemaps", "inject", dist])).toMatchObject({ code: 0 })
    expect(await upload([slug], dist)).toMatchObject({ code: 0 })
    expect(await bundlesOf(id)).toMatchObject([
      { kind: "bundle", state: "ok", detail: null, files_count: 2, links: [{ release: null, dist: null }] },
    ])
    const again = await upload([slug], dist)
    expect(again.code).toBe(0)
    if (isRust) expect(again.output).toContain("Nothing to upload")
    expect(await bundlesOf(id)).toHaveLength(1)
  })

  it("uploads for a release and a dist without ids, and the same files for another release", async () => {
    const id = await project(`${name} release`)
    const dist = UploadClient.writeBuild(home)
    for (const release of ["app@1.0.0+5", "app@2.0.0"]) {
      const options = ["--release", release, "--dist", "77", ...(isRust ? [] : ["--no-rewrite"])]
      expect(await upload([String(id)], dist, options)).toMatchObject({ code: 0 })
    }
    const links = (await bundlesOf(id)).flatMap((bundle) => bundle.links)
    expect(links).toEqual([
      { release: "app@2.0.0", dist: "77" },
      { release: "app@1.0.0+5", dist: "77" },
    ])
    expect((await releasesOf(id)).map(({ version }) => version)).toEqual(["app@2.0.0", "app@1.0.0+5"])
  })

  // The oldest of these sends only the first project, and the other engine supports only one.
  const knowsSeveral = isRust && name !== "sentry-cli-2-39"
  it(knowsSeveral ? "uploads to two projects at once" : "uploads to the project that it names", async () => {
    if (!knowsSeveral) {
      const id = await project(`${name} named`)
      const options = ["--release", "named", ...(isRust ? [] : ["--no-rewrite"])]
      expect(await upload([`${name}-named`], UploadClient.writeBuild(home), options)).toMatchObject({
        code: 0,
      })
      expect(await bundlesOf(id)).toMatchObject([{ state: "ok", links: [{ release: "named", dist: null }] }])
      return
    }
    const one = await project(`${name} one`)
    const two = await project(`${name} two`)
    const dist = UploadClient.writeBuild(home)
    await run(server, home, ["sourcemaps", "inject", dist])
    const uploaded = await upload([`${name} one`.replaceAll(" ", "-"), String(two)], dist, [
      "--release",
      "both",
    ])
    expect(uploaded).toMatchObject({ code: 0 })
    for (const id of [one, two]) expect(await bundlesOf(id)).toMatchObject([{ state: "ok", files_count: 2 }])
  })

  it("reports an invalid key and an unknown project", async () => {
    await project(`${name} refused`)
    const dist = UploadClient.writeBuild(home)
    const unknown = await upload(["no-such-project"], dist, ["--release", "1"])
    expect(unknown).toMatchObject({ output: expect.stringContaining("Unknown project 'no-such-project'") })
    expect(unknown.code).not.toBe(0)
    const stranger = { ...server, apiKey: `errata_${"0".repeat(40)}` }
    const args = isRust
      ? ["sourcemaps", "upload", "--project", `${name}-refused`, "--release", "1", dist]
      : ["sourcemap", "upload", "--release", "1", dist]
    const refused = await run(stranger, home, args, isRust ? {} : { SENTRY_PROJECT: `${name}-refused` })
    expect(refused.code).not.toBe(0)
    expect(refused.output).toMatch(/Invalid API key|[Nn]ot authenticated|401/)
  })

  it("creates, finalizes, archives and restores a release, with commits and a deploy", async () => {
    const id = await project(`${name} releases`)
    const version = `${name}@1.0.0+5`
    const repository = UploadClient.folder()
    const head = UploadClient.writeRepository(repository)
    const step = async (...args: ReadonlyArray<string>) => {
      const done = await run(server, repository, args, { SENTRY_PROJECT: String(id) })
      expect([args, done.output, done.code]).toEqual([args, done.output, 0])
    }
    const one = isRust ? version : `errata/${version}`
    const releases = isRust ? "releases" : "release"
    const url = "https://ci.example.com/1"
    const ofProject = ["--project", String(id)]
    await step(releases, isRust ? "new" : "create", one, ...ofProject, "--url", url)
    if (isRust) await step("releases", "new", one, ...ofProject)
    await step(releases, "set-commits", one, isRust ? "--auto" : "--local")
    await step(releases, "finalize", one)
    if (!isRust) await step("release", "deploy", one, "production")
    else if (name === "sentry-cli-3") await step("deploys", "new", "--release", one, "--env", "production")
    else await step("releases", "deploys", one, "new", "--env", "production")
    expect(await releasesOf(id)).toMatchObject([
      {
        version,
        status: "open",
        url: "https://ci.example.com/1",
        released_at: expect.any(String),
        last_commit: head,
        deploys_count: 1,
      },
    ])
    await step(releases, "archive", one)
    expect(await releasesOf(id)).toMatchObject([{ status: "archived" }])
    // The other engine takes seconds to start, and sends the same requests.
    if (isRust) await step("releases", "restore", one)
    if (isRust) expect(await releasesOf(id)).toMatchObject([{ status: "open" }])
    rmSync(repository, { recursive: true, force: true })
  })

  it("shows the user, projects and organizations", async () => {
    if (!isRust) {
      const shown = await run(server, home, ["org", "list"])
      expect(shown).toMatchObject({ code: 0, output: expect.stringContaining("errata") })
      return
    }
    const id = await project(`${name} listed`)
    const info = await run(server, home, ["info"])
    expect(info.code).toBe(0)
    expect((await run(server, home, ["projects", "list"])).output).toContain(`${name}-listed`)
    expect((await run(server, home, ["organizations", "list"])).output).toContain("errata")
    await run(server, home, ["releases", "new", "--project", String(id), "listed@1"])
    const listed = await run(server, home, ["releases", "list", "--project", String(id)])
    expect(listed).toMatchObject({ code: 0, output: expect.stringContaining("listed@1") })
  })
})

describe.each(["sentry-cli-2-39", "sentry-cli-2-58"])("%s sourcemaps explain", (name) => {
  const { run } = UploadClient.commandLineClients.find((client) => client.name === name)!
  let shop: Rest.Project
  let sentEvents = 0
  const explain = (eventId: string) =>
    run(server, home, ["sourcemaps", "explain", eventId], { SENTRY_PROJECT: String(shop.id) })

  const script = "https://shop.example.com/app.js?v=3"
  const errorAt = (filename: string, lineno = 1) => ({
    values: [
      {
        type: "Error",
        value: "x",
        stacktrace: { frames: [{ filename, function: "e", lineno, colno: 1, in_app: true }] },
      },
    ],
  })

  /** Waits until the event is recorded. */
  const send = async (event: Record<string, unknown>): Promise<string> => {
    const eventId = randomUUID().replaceAll("-", "")
    const sent = await fetch(`${server.url}/api/${shop.id}/store/?sentry_key=${shop.token}`, {
      method: "POST",
      body: JSON.stringify({
        event_id: eventId,
        platform: "javascript",
        exception: errorAt(script),
        ...event,
      }),
    })
    expect(sent.status).toBe(200)
    sentEvents += 1
    await Effect.runPromise(Rest.recorded(server, shop, sentEvents))
    return eventId
  }

  beforeAll(async () => {
    shop = await Effect.runPromise(Rest.createProject(server, `${name} explained`))
    const dist = UploadClient.writeBuild(home)
    const uploaded = await run(server, home, ["sourcemaps", "upload", "--release", "1.0", dist], {
      SENTRY_PROJECT: String(shop.id),
    })
    expect(uploaded).toMatchObject({ code: 0 })
  })

  it("shows the source lines of a mapped event", async () => {
    const explained = await explain(await send({ release: "1.0" }))
    expect(explained).toMatchObject({ code: 0, output: expect.stringContaining("already source mapped") })
    expect(explained.output).toContain("> export const noise")
  })

  it("explains why an event is not mapped", async () => {
    const other = await explain(await send({ release: "2.0" }))
    expect(other).toMatchObject({ code: 1, output: expect.stringContaining("(artifact_not_uploaded)") })
    const none = await explain(await send({}))
    expect(none).toMatchObject({ code: 1, output: expect.stringContaining("(no_debug_id_or_release)") })
    const python = await explain(await send({ platform: "python", exception: errorAt("shop/cart.py") }))
    expect(python).toMatchObject({ code: 1, output: expect.stringContaining("no frames that a source map") })
  })

  it("shows an event that is mapped by a debug id without a release", async () => {
    const dist = UploadClient.writeBuild(home)
    await run(server, home, ["sourcemaps", "inject", dist])
    await run(server, home, ["sourcemaps", "upload", dist], { SENTRY_PROJECT: String(shop.id) })
    const lines = readFileSync(join(dist, "app.js"), "utf8").split("\n")
    const lineno = lines.findIndex((line) => line.startsWith("function e()")) + 1
    const debugId = lines.find((line) => line.startsWith("//# debugId="))!.slice("//# debugId=".length)
    const eventId = await send({
      exception: errorAt(script, lineno),
      debug_meta: { images: [{ type: "sourcemap", code_file: script, debug_id: debugId }] },
    })
    const explained = await explain(eventId)
    expect(explained).toMatchObject({ code: 0, output: expect.stringContaining("> export const noise") })
  })

  it("reports an unknown event", async () => {
    const explained = await explain("0".repeat(32))
    expect(explained).toMatchObject({ code: 1, output: expect.stringContaining("Could not retrieve event") })
  })
})

describe("builds with plugins", () => {
  it.each(["vite", "webpack", "esbuild", "rollup"])("%s", async (bundler) => {
    const id = await project(`${bundler} build`)
    const other = await project(`${bundler} other`)
    const root = UploadClient.folder()
    UploadClient.writeSources(root)
    const built = await UploadClient.build(server, root, bundler, [`${bundler}-build`, String(other)])
    rmSync(root, { recursive: true, force: true })
    expect([built.output, built.code]).toEqual([built.output, 0])
    const version = `${bundler}@1.0.0+5`
    for (const project of [id, other]) {
      const bundles = await bundlesOf(project)
      expect([built.output, bundles.length]).toEqual([built.output, 1])
      expect(bundles).toMatchObject([
        { state: "ok", detail: null, files_count: 2, links: [{ release: version, dist: "77" }] },
      ])
      expect(await releasesOf(project)).toMatchObject([{ version }])
    }
    // Some plugins create the release only in the first project, but upload to all of them.
    expect(await releasesOf(id)).toMatchObject([{ released_at: expect.any(String), deploys_count: 1 }])
  })
})

/** `/api/0` from the view of its clients, over a Node server and the fetch-style handler. */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as UploadApp from "../../src/upload/UploadApp.js"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"

const sha1 = (content: Uint8Array | string) => createHash("sha1").update(content).digest("hex")

describe.each(["node", "web"] as const)("/api/0 over %s", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport, baseUrl: "https://errors.example.com/errata", trustedProxies: 1 })
  })
  afterAll(() => errata.stop())

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, key = memberKey }: { headers?: Record<string, string>; key?: string | null } = {},
  ) => {
    // Sent as bytes: Node 24 leaves a rejection unhandled when the body of a form is canceled.
    const form = body instanceof FormData ? new Response(body) : null
    const sent = form?.arrayBuffer() ?? (typeof body === "string" ? body : JSON.stringify(body))
    const answer = await errata.fetch(path, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(form === null ? {} : { "content-type": form.headers.get("content-type")! }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: await sent }),
    })
    expect(answer.headers.get("cache-control")).toBe("no-store")
    if (answer.text !== "") expect(answer.headers.get("content-type")).toBe("application/json")
    if (answer.status >= 400) {
      expect([Object.keys(answer.json), typeof answer.json.detail]).toEqual([["detail"], "string"])
    }
    return answer
  }

  const chunks = (parts: ReadonlyArray<{ name: string; filename: string; content: Uint8Array }>) => {
    const form = new FormData()
    for (const { content, filename, name } of parts) {
      form.append(name, new Blob([new Uint8Array(content)]), filename)
    }
    return form
  }

  const upload = (form: FormData) => call("POST", "/api/0/organizations/errata/chunk-upload/", form)

  it("exists with and without a last slash, at the root and below the base path", async () => {
    for (const path of ["/api/0", "/api/0/", "/errata/api/0", "/errata/api/0/?x=1"]) {
      expect((await call("GET", path)).json).toMatchObject({
        version: "0",
        user: { id: String(errata.memberId), email: "member@example.com" },
      })
    }
    expect((await call("GET", "/api/0/organizations/any%20thing")).json).toMatchObject({
      id: "1",
      slug: "any thing",
    })
  })

  it("answers 404 for unknown paths, and 405 with the allowed methods", async () => {
    expect((await call("GET", "/api/0/users/me/regions/")).json).toEqual({ detail: "Not found" })
    expect((await call("GET", "/api/0/organizations/%E0%A4%A/")).status).toBe(400)
    const other = await call("PATCH", "/api/0/organizations/errata/releases/")
    expect([other.status, other.headers.get("allow")]).toEqual([405, "GET, POST"])
  })

  it("authenticates before it reads a body", async () => {
    for (const key of [null, "nonsense", "errata_0000000000000000000000"]) {
      const answer = await call("POST", "/api/0/organizations/errata/releases/", "{", { key })
      expect([answer.status, answer.json.detail]).toEqual([
        401,
        key === null ? "Missing API key" : "Invalid API key",
      ])
    }
  })

  it("returns URLs with the host that the client used", async () => {
    const addressOf = async (headers: Record<string, string>, path = "") =>
      (await call("GET", `${path}/api/0/organizations/errata/`, undefined, { headers })).json.links
        .organizationUrl
    if (transport === "node") expect(await addressOf({})).toBe(errata.url)
    expect(await addressOf({ "x-forwarded-host": "errors.example.com" })).toBe("https://errors.example.com")
    expect(await addressOf({ "x-forwarded-host": "errors.example.com" }, "/errata")).toBe(
      "https://errors.example.com/errata",
    )
    expect(
      await addressOf({ "x-forwarded-proto": "https", "x-forwarded-host": "other.example.com:8443" }),
    ).toBe("https://other.example.com:8443")
    const { json } = await call("GET", "/api/0/organizations/a%2Fb/chunk-upload/", undefined, {
      headers: { "x-forwarded-host": "errors.example.com" },
    })
    expect(json).toMatchObject({
      url: "https://errors.example.com/api/0/organizations/a%2Fb/chunk-upload/",
      chunkSize: 8_388_608,
      chunksPerRequest: 4,
      maxRequestSize: 33_554_432,
      hashAlgorithm: "sha1",
      compression: ["gzip"],
    })
    expect(json.accept).toEqual(expect.arrayContaining(["release_files", "artifact_bundles_v2"]))
  })

  it("lists projects page by page", async () => {
    const first = await call("GET", "/api/0/organizations/errata/projects/?per_page=1", undefined, {
      key: adminKey,
    })
    expect(first.json).toMatchObject([{ id: String(errata.theirs.id), slug: "theirs", name: "theirs" }])
    const [, next = ""] = /^<([^>]+)>; rel="next"; results="true"; cursor="\d+"$/.exec(
      first.headers.get("link") ?? "",
    )!
    const { pathname, search } = new URL(next)
    const second = await call("GET", pathname + search, undefined, { key: adminKey })
    expect(second.json).toMatchObject([{ slug: "mine" }])
    expect(second.headers.get("link")).toBeNull()
    expect((await call("GET", "/api/0/organizations/errata/projects/")).json).toHaveLength(1)
  })

  it("creates a release once in two calls, finalizes it, and stores commits and deploys", async () => {
    const version = "app@2.0.0+5 ü/x"
    const path = `/api/0/organizations/o/releases/${encodeURIComponent(version)}/`
    const body = {
      version,
      projects: [errata.mine.id],
      dateStarted: "2026-11-21T22:09:39.677524005Z",
      unknown: 1,
    }
    const made = await call("POST", "/api/0/organizations/o/releases/", body)
    expect(made).toMatchObject({ status: 201, json: { version, dateStarted: "2026-11-21T22:09:39.677Z" } })
    expect((await call("POST", "/api/0/projects/o/mine/releases/", { version })).json).toMatchObject({
      id: made.json.id,
      dateStarted: "2026-11-21T22:09:39.677Z",
      projects: [{ id: String(errata.mine.id), slug: "mine" }],
    })
    const released = await call("PUT", path, { dateReleased: "2026-11-22T00:00:00Z", projects: [] })
    expect(released).toMatchObject({ status: 200, json: { dateReleased: "2026-11-22T00:00:00.000Z" } })
    expect((await call("GET", `${path}previous-with-commits/`)).json).toEqual({})
    const commitsOf = (files: number) => [
      {
        id: "a".repeat(40),
        repository: "acme/web",
        author_name: "Ada",
        timestamp: "2026-11-21T22:09:39+01:00",
        message: "m".repeat(10_000),
        patch_set: Array.from({ length: files }, (_, i) => ({ path: `src/file-number-${i}.ts`, type: "A" })),
      },
    ]
    expect(await call("PUT", path, { commits: commitsOf(30_000) })).toMatchObject({
      status: 413,
      json: { detail: "The body is larger than 1048576 bytes" },
    })
    expect((await call("PUT", path, { commits: commitsOf(20_000) })).json).toMatchObject({
      commitCount: 1,
      lastCommit: { id: "a".repeat(40) },
    })
    const listed = (await call("GET", `${path}commits/`)).json
    expect(listed).toMatchObject([{ id: "a".repeat(40), repository: { name: "acme/web" } }])
    expect(listed[0].message).toHaveLength(4_096)
    expect(Object.keys(listed[0])).not.toContain("patch_set")
    const refs = [{ repository: "acme/web", commit: "b".repeat(40), previousCommit: null }]
    expect((await call("PUT", path, { refs })).json.lastCommit).toEqual({ id: "b".repeat(40) })
    const deploy = await call("POST", `${path}deploys/`, { environment: "production" })
    expect(deploy).toMatchObject({ status: 201, json: { environment: "production", name: null } })
    expect(Number.isNaN(Date.parse(deploy.json.dateFinished))).toBe(false)
    expect((await call("GET", `${path}deploys`)).json).toEqual([deploy.json])
    await call("POST", "/api/0/organizations/o/releases/", { version, projects: [], status: "archived" })
    expect((await call("GET", path)).json).toMatchObject({ status: "archived", deployCount: 1 })
    expect((await call("GET", "/api/0/projects/o/mine/releases/")).json).toMatchObject([{ version }])
    const { releases } = (await errata.api(`/projects/${errata.mine.id}/releases`)).json
    expect(releases).toMatchObject([{ version, status: "archived", commits_count: 1, deploys_count: 1 }])
  })

  it("lets only admins delete a release, and only without reports", async () => {
    await call("POST", "/api/0/projects/o/mine/releases/", { version: "gone" })
    expect((await call("DELETE", "/api/0/projects/o/mine/releases/gone/")).status).toBe(403)
    const asAdmin = { key: adminKey }
    const path = "/api/0/organizations/o/releases/gone/"
    expect((await call("DELETE", path, undefined, asAdmin)).status).toBe(204)
    expect((await call("DELETE", path, undefined, asAdmin)).status).toBe(404)
    expect((await call("GET", path)).status).toBe(404)
    await errata.report({ message: "seen", release: "seen" })
    const kept = await call("DELETE", "/api/0/projects/o/mine/releases/seen/", undefined, asAdmin)
    expect(kept.status).toBe(400)
  })

  it("finds projects by id, name and slug, and lists the available ones for an unknown one", async () => {
    await errata.api("/projects", { method: "POST", body: { name: `Web Shop (${transport})` } })
    const create = (projects: ReadonlyArray<unknown>, key = adminKey) =>
      call("POST", "/api/0/organizations/o/releases/", { version: "found", projects }, { key })
    for (const name of [String(errata.mine.id), errata.mine.id, "mine"]) {
      expect((await create([name])).json.projects).toMatchObject([{ slug: "mine" }])
    }
    const both = await create([`web-shop-${transport}`, "mine"])
    expect(both.json.projects).toMatchObject([{ slug: "mine" }, { slug: `web-shop-${transport}` }])
    const unknown = await create(["web"], memberKey)
    expect(unknown).toMatchObject({
      status: 400,
      json: { detail: `Unknown project 'web'. Use its id or slug: ${errata.mine.id} (mine)` },
    })
    expect((await create(["mine", "theirs"], memberKey)).status).toBe(400)
    expect((await create(["mine", 999_999], memberKey)).status).toBe(400)
    await errata.api("/projects", { method: "POST", body: { name: `Web.Shop ${transport}` } })
    const several = await create([`web-shop-${transport}`])
    expect(several.status).toBe(400)
    expect(several.json.detail.match(/web-shop/g)).toHaveLength(3)
  })

  it("answers the same for an inaccessible and an unknown project", async () => {
    const routes = (await errata.run(UploadApp.routes)).filter(({ path }) => path.includes(":project"))
    expect(routes.length).toBeGreaterThan(10)
    const answerOf = async (method: string, path: string, project: string) => {
      const filled = path.replace(":project", project).replace(/:\w+/g, "1")
      const body = method === "GET" || method === "DELETE" ? undefined : { version: "1" }
      const { json, status } = await call(method, `/api/0/${filled}/?name=1`, body)
      return [status, json?.detail?.replaceAll(project, "it")]
    }
    for (const { method, path } of routes) {
      for (const [foreign, unknown] of [
        ["theirs", "nothing"],
        [String(errata.theirs.id), "999999"],
      ] as const) {
        const answer = await answerOf(method, path, foreign)
        expect([method, path, ...answer]).toEqual([method, path, ...(await answerOf(method, path, unknown))])
        if (!path.endsWith("previous-with-commits")) expect([400, 403]).toContain(answer[0])
      }
    }
    const create = (project: string) =>
      call("POST", "/api/0/organizations/o/releases/", { version: "alike", projects: [project] })
    const details = [(await create("theirs")).json.detail, (await create("nothing")).json.detail]
    expect(details).toEqual([
      `Unknown project 'theirs'. Use its id or slug: ${errata.mine.id} (mine)`,
      `Unknown project 'nothing'. Use its id or slug: ${errata.mine.id} (mine)`,
    ])
  })

  it("rejects unsupported commands with one sentence", async () => {
    for (const path of ["projects/o/mine/issues/", "organizations/o/issues/", "projects/o/mine/events/"]) {
      const answer = await call("GET", `/api/0/${path}?cursor=&query=`)
      expect([path, answer.status, answer.json.detail]).toEqual([
        path,
        400,
        expect.stringMatching(
          /^This client cannot list (groups|reports) in Errata\. Run `errata (groups|reports) list`/,
        ),
      ])
    }
    expect((await call("POST", "/api/0/projects/o/mine/files/dsyms/", new FormData())).json.detail).toBe(
      "Errata cannot use native debug files or ProGuard mappings. It reads source maps.",
    )
  })

  it("finds a project by its slug even if an inaccessible project has that name", async () => {
    const create = async (name: string): Promise<{ readonly id: number }> =>
      (await errata.api("/projects", { method: "POST", body: { name } })).json
    const mine = await create(`Side Door ${transport}`)
    await create(`side-door-${transport}`)
    await errata.api(`/projects/${mine.id}/users`, { method: "POST", body: { user_id: errata.memberId } })
    const found = await call("GET", `/api/0/projects/o/side-door-${transport}/`)
    expect(found).toMatchObject({ status: 200, json: { id: String(mine.id) } })
    await errata.api(`/projects/${mine.id}/users/${errata.memberId}`, { method: "DELETE" })
  })

  it("rejects invalid releases with the reason", async () => {
    const create = (body: unknown) => call("POST", "/api/0/projects/o/mine/releases/", body)
    for (const [body, detail] of [
      ["{", "The body is not valid JSON"],
      [[], /^The body: /],
      [{}, "version is missing"],
      [{ version: "" }, /^version /],
      [{ version: "x".repeat(201) }, /^version /],
      [{ version: "a\u0007" }, /^version /],
      [{ version: "1", url: "javascript:alert(1)" }, /^url /],
      [{ version: "1", dateReleased: "soon" }, /^dateReleased: /],
      [{ version: "1", status: "gone" }, /^status: /],
    ] as const) {
      const answer = await create(body)
      expect([body, answer.status, answer.json.detail]).toEqual([body, 400, expect.stringMatching(detail)])
    }
    const nowhere = await call("PUT", "/api/0/organizations/o/releases/nowhere/", {})
    expect([nowhere.status, nowhere.json.detail]).toEqual([400, expect.stringContaining("'nowhere'")])
    const large = await call("POST", "/api/0/projects/o/mine/releases/", {
      version: "x".repeat(17 * 1024 * 1024),
    })
    expect(large.status).toBe(413)
  })

  it("accepts several chunks in any encoding, and no longer lists them as missing", async () => {
    const contents = ["one", "two", ""].map((text) => Buffer.from(text))
    const assemble = (parts: ReadonlyArray<Uint8Array>) =>
      call("POST", "/api/0/organizations/o/artifactbundle/assemble/", {
        checksum: sha1(Buffer.concat(parts)),
        chunks: parts.map(sha1),
        projects: ["mine"],
      })
    expect((await assemble(contents.slice(0, 2))).json).toEqual({
      state: "not_found",
      missingChunks: contents.slice(0, 2).map(sha1),
      detail: null,
    })
    const sent = await upload(
      chunks([
        { name: "file_gzip", filename: sha1(contents[0]!), content: gzipSync(contents[0]!) },
        { name: "file", filename: sha1(contents[1]!), content: contents[1]! },
      ]),
    )
    expect(sent.status).toBe(200)
    // All chunks are stored. Assembly reads them and fails immediately, since they are not a bundle.
    expect((await assemble(contents.slice(0, 2))).json).toMatchObject({
      state: "error",
      missingChunks: [],
      detail: expect.any(String),
    })
    expect((await call("POST", "/api/0/organizations/o/chunk-upload/")).status).toBe(200)
  })

  it("rejects chunks with a wrong checksum, too many or too large chunks, and bodies that are no form", async () => {
    const content = Buffer.alloc(9 * 1024 * 1024)
    const gzipped = gzipSync(content)
    for (const [parts, detail] of [
      [[{ name: "file", filename: "0".repeat(40), content: Buffer.from("x") }], /SHA-1/],
      [[{ name: "file", filename: "../x", content: Buffer.from("x") }], /SHA-1/],
      [[{ name: "other", filename: sha1("x"), content: Buffer.from("x") }], /must be named/],
      [[{ name: "file_gzip", filename: sha1("x"), content: Buffer.from("x") }], /not compressed/],
      [[{ name: "file_gzip", filename: sha1(content), content: gzipped }], /larger than 8388608/],
      [[{ name: "file", filename: sha1(content), content }], /larger than/],
      [
        Array.from({ length: 5 }, () => ({
          name: "file",
          filename: sha1("x"),
          content: Buffer.from("x"),
        })),
        /more than 4 parts/,
      ],
    ] as const) {
      const answer = await upload(chunks(parts))
      expect([answer.status, answer.json.detail]).toEqual([400, expect.stringMatching(detail)])
    }
    const path = "/api/0/organizations/o/chunk-upload/"
    expect((await call("POST", path, "text")).status).toBe(400)
    const headers = { "content-type": "multipart/form-data; boundary=x" }
    expect((await call("POST", path, "--x\r\nnothing", { headers })).json.detail).toBe("The body ended early")
  })

  it("stores single files, as older clients send them", async () => {
    await call("POST", "/api/0/projects/o/mine/releases/", { version: "files" })
    const path = "/api/0/projects/o/mine/releases/files/files/"
    const form = new FormData()
    form.append("name", "~/app.js")
    form.append("dist", "77")
    form.append("header", "Sourcemap:app.js.map")
    form.append("file", new Blob(["let a"]), "app.js")
    const made = await call("POST", path, form)
    expect(made).toMatchObject({
      status: 201,
      json: {
        name: "~/app.js",
        dist: "77",
        headers: { Sourcemap: "app.js.map" },
        size: 5,
        sha1: sha1("let a"),
      },
    })
    expect((await call("GET", path)).json).toEqual([made.json])
    expect((await call("GET", `${path}?checksum=${sha1("let a")}`)).json).toEqual([])
    expect((await call("DELETE", `${path}${made.json.id}/`)).status).toBe(403)
    expect((await call("DELETE", `${path}${made.json.id}/`, undefined, { key: adminKey })).status).toBe(204)
    expect((await call("GET", path)).json).toEqual([])
    await call("POST", path, form)
    const all = "/api/0/projects/o/mine/files/source-maps/?name=files"
    expect((await call("DELETE", all, undefined, { key: adminKey })).status).toBe(204)
    expect((await call("GET", path)).json).toEqual([])
    const without = new FormData()
    without.append("name", "x")
    expect((await call("POST", path, without)).json.detail).toBe("The body has no part named file")
  })

  it("rejects debug files, and calls with many of them immediately", async () => {
    const path = "/api/0/projects/o/mine/files/difs/assemble/"
    const files = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [
          sha1(`${i}`),
          { name: "prog", debug_id: "f3440000-0000-0000-0000-000000000000", chunks: [sha1(`${i}`)] },
        ]),
      )
    const uploads = async () =>
      (await errata.api(`/projects/${errata.mine.id}/artifact_bundles`)).json.artifact_bundles.length
    const before = await uploads()
    const { json, status } = await call("POST", path, files(100))
    expect([status, Object.keys(json).length]).toEqual([200, 100])
    expect(json[sha1("0")]).toMatchObject({
      state: "error",
      detail: expect.stringContaining("cannot use this file"),
    })
    const refused = await call("POST", path, files(101))
    expect([refused.status, refused.json.detail]).toEqual([
      400,
      "The request names 101 files. Errata accepts at most 100 per request.",
    ])
    expect(await uploads()).toBe(before)
  })
})

/** Source maps from the build to the report: two bundlers, one browser. */
import { Effect } from "effect"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { launch } from "../../http/test-browser/support/Chromium.js"
import * as Rest from "../test/support/Rest.js"
import * as Server from "../test/support/Server.js"
import * as Shop from "./support/Shop.js"

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

const opened = (tracker: Shop.Tracker | null) =>
  Effect.acquireRelease(
    Effect.promise(() => Shop.open(tracker)),
    (shop) => Effect.promise(() => shop.close()),
  )

/** Presses the button of a page and returns the id of the event that the page sent. */
const failIn = async (url: string): Promise<string> => {
  const page = await browser.newPage()
  await page.goto(url)
  // The page also sends a session. The SDK uses keepalive requests, whose response bodies cannot be read here.
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.postData()?.includes('"exception"') === true),
    page.getByRole("button", { name: "Order" }).click(),
  ])
  expect((await sent.response())?.status()).toBe(200)
  const { event_id: id }: { readonly event_id: string } = JSON.parse(sent.postData()!.split("\n")[0]!)
  await page.close()
  return id.replaceAll("-", "")
}

const expectAsWritten = (report: Detail) => {
  expect(report.sourcemap_status).toBe("resolved")
  expect(report.error_message).toBe("No price for tea")
  const frames = report.exceptions[0]!.frames.filter(({ in_app }) => in_app === true)
  expect(frames.slice(-2)).toMatchObject([
    { filename: "src/main.ts", function: "order", lineno: Shop.lineOf("main.ts", "cart.checkout()") },
    {
      filename: "src/cart.ts",
      function: "Cart.checkout",
      lineno: Shop.lineOf("cart.ts", "// fails"),
      context_line: expect.stringContaining("throw new Error("),
      post_context: expect.arrayContaining(["      total += item.price"]),
    },
  ])
  expect(report.culprit).toBe("src/cart.ts in Cart.checkout")
}

const upload = async (
  server: Server.Server,
  project: Rest.Project,
  release: string,
  name: string,
  content: Uint8Array,
  headers: ReadonlyArray<string> = [],
) => {
  const form = new FormData()
  form.set("name", name)
  for (const header of headers) form.append("header", header)
  form.set("file", new Blob([new Uint8Array(content)]), "file")
  const address = `${server.url}/api/0/projects/any/${project.id}/releases/${encodeURIComponent(release)}/files/`
  const answer = await fetch(address, {
    method: "POST",
    headers: { authorization: `Bearer ${server.apiKey}` },
    body: form,
  })
  expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
}

interface Detail extends Rest.Report {
  readonly sourcemap_status: string
}

it("shows an error of two builds at its original position, in one group", () =>
  Effect.gen(function* () {
    const server = yield* Server.start(["--storage", "memory"])
    const project = yield* Rest.createProject(server, "shop")
    const shop = yield* opened(null)
    shop.reportTo(Rest.dsn(server, project))
    const ids: Array<string> = []
    for (const { folder, map, script } of shop.builds) {
      const release = `shop@${folder}`
      const created = yield* Rest.send(`${server.url}/api/0/organizations/any/releases/`, {
        method: "POST",
        headers: { authorization: `Bearer ${server.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ version: release, projects: [project.id] }),
      })
      expect(created.status).toBeLessThan(300)
      yield* Effect.promise(() =>
        upload(server, project, release, `~/${folder}/app.js`, script, ["Sourcemap:app.js.map"]),
      )
      yield* Effect.promise(() => upload(server, project, release, `~/${folder}/app.js.map`, map))
      ids.push(yield* Effect.promise(() => failIn(`${shop.url}/${folder}/index.html`)))
    }
    yield* Rest.recorded(server, project, 2)
    const reports: Array<Detail> = []
    for (const id of ids) {
      reports.push(yield* Rest.get<Detail>(server, `/projects/${project.id}/reports/${id}`))
    }
    reports.forEach(expectAsWritten)
    expect(reports[1]!.group_id).toBe(reports[0]!.group_id)
  }).pipe(Effect.scoped, Effect.runPromise))

it("shows an error of two builds whose plugins uploaded by debug ids, in one group and on the command line", () =>
  Effect.gen(function* () {
    const server = yield* Server.start(["--storage", "memory"])
    const project = yield* Rest.createProject(server, "shop")
    const shop = yield* opened({ url: server.url, apiKey: server.apiKey, project: project.id })
    shop.reportTo(Rest.dsn(server, project))
    const groups = new Set<number>()
    for (const [index, { folder }] of shop.builds.entries()) {
      const id = yield* Effect.promise(() => failIn(`${shop.url}/${folder}/index.html`))
      yield* Rest.recorded(server, project, index + 1)
      const report = yield* Rest.get<Detail>(server, `/projects/${project.id}/reports/${id}`)
      expectAsWritten(report)
      groups.add(report.group_id)
      const shown = yield* Effect.promise(() =>
        Server.run(["reports", "get", id], {
          ERRATA_URL: server.url,
          ERRATA_API_KEY: server.apiKey,
          ERRATA_PROJECT: String(project.id),
        }),
      )
      expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("Cart.checkout") })
      expect(shown.stdout).toContain(`src/cart.ts:${Shop.lineOf("cart.ts", "// fails")}`)
    }
    expect(groups.size).toBe(1)
  }).pipe(Effect.scoped, Effect.runPromise))

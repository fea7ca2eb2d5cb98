/** The unmodified SDKs for Python, Ruby and Go, where they are installed. */
import { randomUUID } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as FixedMinute from "../../../http/test/support/FixedMinute.js"
import { start } from "../../../http/test/support/TestInstance.js"
import * as Rest from "../support/Rest.js"
import * as Server from "../support/Server.js"
import { type App, goApp, pythonApp, rubyApp } from "./support/LanguageApps.js"

class Errata extends Context.Service<Errata, Server.Server>()("Errata") {
  static readonly layer = Layer.effect(Errata, Server.start(["--storage", "memory"]))
}

/** Runs a scenario in its own project and waits for its reports. */
const play = (app: App, scenario: string, count: number) =>
  Effect.gen(function* () {
    const server = yield* Errata
    const project = yield* Rest.createProject(server, `${scenario} ${randomUUID()}`)
    const code = yield* app.run(Rest.dsn(server, project), scenario)
    yield* Rest.recorded(server, project, count)
    return { server, project, code }
  })

const onlyReport = (app: App, scenario: string) =>
  Effect.gen(function* () {
    const { code, project, server } = yield* play(app, scenario, 1)
    const [group] = yield* Rest.groups(server, project)
    const { reports } = yield* Rest.get<{ readonly reports: ReadonlyArray<Pick<Rest.Report, "event_id">> }>(
      server,
      `/projects/${project.id}/groups/${group!.id}/reports`,
    )
    return { code, report: yield* Rest.report(server, project, reports[0]!.event_id) }
  })

/** Error, culprit and number of reports of each group, sorted. */
const groupsOf = (app: App, count: number) =>
  Effect.gen(function* () {
    const { project, server } = yield* play(app, "groups", count)
    const groups = yield* Rest.groups(server, project)
    return groups
      .map((group) => [group.error_type, group.error_message, group.culprit, group.reports_count])
      .sort()
  })

/** The data that each application sends. */
const common = {
  server_name: "till-1",
  environment: "staging",
  release_version: "shop@1.2.3",
  ingest_truncations: [],
  user: { user_id: "42", username: "ada", email: "ada@example.com" },
  breadcrumbs: [{ category: "cart", message: "added 17", level: "info", data: { product: 17 } }],
}

const basket = { name: "basket", data: { items: 3, currency: "EUR" } }

const shortly = ({ context_line, filename, function: name, in_app, module }: Rest.Frame) =>
  [in_app, module ?? filename, name, context_line?.trim()] as const

/** Only the second of four messages is rejected: the SDK does not send the others. */
const backsOff = (app: App) =>
  Effect.gen(function* () {
    const errata = yield* Effect.acquireRelease(
      Effect.promise(() => start({}, FixedMinute.layer())),
      (instance) => Effect.promise(() => instance.stop()),
    )
    const protection = "/data_retention/ingest_protection"
    const body = { global_rate_limit_per_minute: 1 }
    yield* Effect.promise(() => errata.api(protection, { method: "PATCH", body }))
    const { id, token } = errata.mine
    expect(yield* app.run(`http://${token}@127.0.0.1:${errata.port}/${id}`, "limited")).toBe(0)
    const { json } = yield* Effect.promise(() => errata.api(protection))
    expect(json.recent_rejections).toBe(1)
  })

layer(Errata.layer, { excludeTestServices: true })("SDKs of other languages", (it) => {
  for (const [name, app] of Object.entries({ Python: pythonApp, Ruby: rubyApp, Go: goApp })) {
    if (!app.isInstalled) it.skip(`${name}: install ${app.needs} to run this`, () => {})
  }

  it.effect.runIf(pythonApp.isInstalled)("Python: an exception with all of its context", () =>
    Effect.gen(function* () {
      const { code, report } = yield* onlyReport(pythonApp, "exception")
      expect(code).toBe(0)
      expect(report).toMatchObject({
        ...common,
        error_type: "OrderError",
        error_message: "Order 17 cannot be placed",
        culprit: "shop.orders in place_order",
        platform: "python",
        severity: "error",
        handled: true,
        dist: "7",
        sdk: { name: "sentry.python" },
        attachments: [{ filename: "receipt.txt", content_type: "text/plain", size: 12 }],
      })
      expect(report.user.data).toEqual({ plan: "gold" })
      expect(report.tags).toContainEqual({ key: "checkout", value: "wsgi" })
      expect(report.contexts).toContainEqual(basket)
      expect(report.extras).toContainEqual({
        key: "note",
        value: { deep: { deeper: true }, list: [1, null, "x"], nan: "nan" },
      })
      expect(report.exceptions.map(({ type, value }) => [type, value])).toEqual([
        ["KeyError", "'price'"],
        ["OrderError", "Order 17 cannot be placed"],
      ])
      expect(report.exceptions[0]!.frames.map(shortly)).toEqual([
        [true, "shop.orders", "place_order", "return read_price(basket)"],
        [true, "shop.orders", "read_price", 'return product["price"]["amount"]'],
      ])
      expect(report.exceptions[0]!.frames[1]).toMatchObject({
        filename: "shop/orders.py",
        vars: { product: { tea: "3", number: "17" } },
      })
    }),
  )

  it.effect.runIf(pythonApp.isInstalled)("Python: an uncaught exception, before the process exits", () =>
    Effect.gen(function* () {
      const { code, report } = yield* onlyReport(pythonApp, "uncaught")
      expect(code).toBe(1)
      expect(report).toMatchObject({ error_message: "Order 18 cannot be placed", handled: false })
      expect(report.exceptions.at(-1)!.frames.map(({ function: name }) => name)).toEqual([
        "<module>",
        "uncaught",
        "place_order",
      ])
    }),
  )

  it.effect.runIf(pythonApp.isInstalled)("Python: groups errors and messages with parameters", () =>
    Effect.gen(function* () {
      expect(yield* groupsOf(pythonApp, 7)).toEqual([
        ["KeyError", "'price'", "shop.orders in read_price", 1],
        ["Message", "Till 0 is nearly full", "", 3],
        ["OrderError", "Order 0 cannot be placed", "shop.orders in place_order", 3],
      ])
    }),
  )

  it.effect.runIf(rubyApp.isInstalled)("Ruby: an exception with all of its context", () =>
    Effect.gen(function* () {
      const { code, report } = yield* onlyReport(rubyApp, "exception")
      expect(code).toBe(0)
      expect(report).toMatchObject({
        ...common,
        error_type: "Shop::OrderError",
        error_message: "Order 17 cannot be placed",
        culprit: "lib/shop.rb in rescue in place_order",
        platform: "ruby",
        severity: "error",
        sdk: { name: "sentry.ruby" },
      })
      expect(report.user.data).toEqual({ plan: "gold" })
      expect(report.tags).toContainEqual({ key: "checkout", value: "rack" })
      expect(report.contexts).toContainEqual(basket)
      expect(report.extras).toContainEqual({
        key: "note",
        value: { deep: { deeper: true }, list: [1, null, "x"] },
      })
      expect(report.exceptions.map(({ type }) => type)).toEqual(["KeyError", "Shop::OrderError"])
      expect(shortly(report.exceptions[0]!.frames.at(-2)!)).toEqual([
        true,
        "lib/shop.rb",
        "read_price",
        "product.fetch(:price)",
      ])
    }),
  )

  it.effect.runIf(rubyApp.isInstalled)("Ruby: groups errors", () =>
    Effect.gen(function* () {
      expect(yield* groupsOf(rubyApp, 4)).toEqual([
        ["KeyError", "key not found: :price", "lib/shop.rb in fetch", 1],
        ["Shop::OrderError", "Order 0 cannot be placed", "lib/shop.rb in rescue in place_order", 3],
      ])
    }),
  )

  it.effect.runIf(goApp.isInstalled)("Go: an error with all of its context", () =>
    Effect.gen(function* () {
      const { code, report } = yield* onlyReport(goApp, "exception")
      expect(code).toBe(0)
      expect(report).toMatchObject({
        ...common,
        error_type: "*main.OrderError",
        error_message: "order 17 cannot be placed",
        culprit: "main in order",
        platform: "go",
        sdk: { name: "sentry.go" },
      })
      expect(report.tags).toContainEqual({ key: "checkout", value: "http" })
      expect(report.contexts).toContainEqual(basket)
      expect(report.extras).toContainEqual({ key: "note", value: { list: [1, null, "x"] } })
      expect(report.exceptions.map(({ type, value }) => [type, value])).toEqual([
        ["*errors.errorString", "no price"],
        ["*main.OrderError", "order 17 cannot be placed"],
      ])
      expect(report.exceptions[1]!.frames.map(({ function: name }) => name)).toEqual(["main", "order"])
    }),
  )

  it.effect.runIf(goApp.isInstalled)("Go: groups errors", () =>
    Effect.gen(function* () {
      expect(yield* groupsOf(goApp, 4)).toEqual([
        ["*fs.PathError", "open /there/is/no/such/file: no such file or directory", "main in main", 1],
        ["*main.OrderError", "order 0 cannot be placed", "main in order", 3],
      ])
    }),
  )

  it.effect.runIf(pythonApp.isInstalled)("Python: backs off from a rate limit", () => backsOff(pythonApp))
  it.effect.runIf(rubyApp.isInstalled)("Ruby: backs off from a rate limit", () => backsOff(rubyApp))
  it.effect.runIf(goApp.isInstalled)("Go: backs off from a rate limit", () => backsOff(goApp))
})

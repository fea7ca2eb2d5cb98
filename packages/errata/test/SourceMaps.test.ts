import { describe, expect, it } from "vitest"
import type { Errata } from "../src/index.js"
import { instances } from "./support/Instances.js"
import { keyedStorage } from "./support/KeyedStorage.js"

const script = "https://shop.example.com/assets/app.js"
const release = "shop@1.0.0"

/** One mapping: the first character of the script is the first of the source. */
const map = JSON.stringify({
  version: 3,
  sources: ["../src/cart.ts"],
  sourcesContent: ["export function total() { boom() }\n"],
  names: [],
  mappings: "AAAA",
})

describe("source maps of an instance", () => {
  const make = instances()

  const start = async () => {
    const { apiKey, storage } = await keyedStorage()
    const errata = await make({ storage, project: "Shop", baseUrl: "https://shop.example.com/errors" })
    return { errata, authorization: `Bearer ${apiKey}` }
  }

  /** Sends an event as the browser SDK does. Returns its id. */
  const send = async (errata: Errata, eventId: string, { name = "t", colno = 1, of = release } = {}) => {
    const { id, token } = errata.project
    const frame = { filename: script, function: name, lineno: 1, colno, in_app: true }
    const event = {
      event_id: eventId,
      platform: "javascript",
      release: of,
      exception: { values: [{ type: "TypeError", value: "boom", stacktrace: { frames: [frame] } }] },
    }
    const answer = await errata.fetch(
      new Request(`https://shop.example.com/errors/api/${id}/store/?sentry_key=${token}&sentry_version=7`, {
        method: "POST",
        body: JSON.stringify(event),
      }),
    )
    expect(answer.status).toBe(200)
    // The first one starts the thread that reads maps.
    await errata.flush({ timeout: 30_000 })
  }

  /** A script and its map as files of the release, as build tools upload them. */
  const upload = async (
    errata: Errata,
    authorization: string,
    { code = "t()", json = map, of = release } = {},
  ) => {
    const files = {
      "~/assets/app.js": `${code}\n//# sourceMappingURL=app.js.map\n`,
      "~/assets/app.js.map": json,
    }
    for (const [name, content] of Object.entries(files)) {
      const body = new FormData()
      body.append("name", name)
      body.append("file", new Blob([content]), name)
      const path = `/errors/api/0/projects/errata/shop/releases/${encodeURIComponent(of)}/files/`
      const request = new Request(`https://shop.example.com${path}`, {
        method: "POST",
        body,
        headers: { authorization },
      })
      expect((await errata.fetch(request)).status).toBe(201)
    }
  }

  const frameOf = async (errata: Errata, eventId: string) => {
    const { groups } = await errata.groups.list(errata.project.id)
    for (const { id } of groups) {
      const { reports } = await errata.reports.list(errata.project.id, id)
      for (const report of reports) {
        if (report.event_id !== eventId) continue
        const { exceptions, sourcemap_status } = await errata.reports.get(errata.project.id, id, report.id)
        const { filename, lineno } = exceptions[0]!.frames[0]!
        return { filename, lineno, sourcemap_status }
      }
    }
    return null
  }

  const mapped = { filename: "src/cart.ts", lineno: 1, sourcemap_status: "resolved" }

  it("map later errors", async () => {
    const { authorization, errata } = await start()
    await upload(errata, authorization)
    const eventId = "a".repeat(32)
    await send(errata, eventId)
    expect(await frameOf(errata, eventId)).toEqual(mapped)
  })

  it("group two builds of one error without the text of its sources", async () => {
    const { authorization, errata } = await start()
    const json = JSON.stringify({
      version: 3,
      sources: ["../src/cart.ts"],
      names: ["total"],
      // Maps the name and the call in `function total() { boom() }`.
      mappings: "SAASA,IAAU",
    })
    for (const [i, name] of ["t", "q"].entries()) {
      const of = `shop@2.0.${i}`
      await upload(errata, authorization, { code: `function ${name}(){boom()}${name}()`, json, of })
      await send(errata, String(i).repeat(32), { name, colno: 14, of })
    }
    const { groups } = await errata.groups.list(errata.project.id)
    expect(groups).toMatchObject([{ culprit: "src/cart.ts in total", reports_count: 2 }])
  })

  it("map earlier errors soon", async () => {
    const { authorization, errata } = await start()
    const eventId = "b".repeat(32)
    await send(errata, eventId)
    expect(await frameOf(errata, eventId)).toMatchObject({ filename: script })
    await upload(errata, authorization)
    await expect.poll(() => frameOf(errata, eventId), { timeout: 30_000 }).toEqual(mapped)
  })
})

import { expect } from "vitest"
import { beyond, detailed, eventId, full, listed } from "./FullReport.js"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const reportDetailWire: WireFile = {
  name: "ReportDetail",
  cases: [
    wireCase("have all the data of their event", async (wire) => {
      const project = await Given.project(wire)
      const id = eventId()
      const report = await Given.report(wire, project, full(id))
      expect(report).toMatchObject({
        project_id: project.id,
        event_id: id,
        error_type: "CartError",
        error_message: "empty cart",
        platform: "node",
        severity: "warning",
        handled: false,
        server_name: "web-1",
        environment: "production",
        release_version: "shop@1.2.3",
        sourcemap_status: "not_found",
        sourcemap_failure_code: "artifact_not_uploaded",
        tags: [
          { key: "zone", value: "eu" },
          { key: "area", value: "cart" },
          { key: "user.id", value: "42" },
          { key: "user.email", value: "ann@example.com" },
          { key: "user.ip", value: "203.0.113.7" },
        ],
        custom_fingerprint: ["cart", "{{ default }}"],
        transaction_source: "route",
        contexts: [
          { name: "runtime", data: { name: "node", version: "22" } },
          { name: "app", data: { name: "shop" } },
        ],
        user: {
          user_id: "42",
          username: "ann",
          email: "ann@example.com",
          ip_address: "203.0.113.7",
          geo_city: "",
          geo_region: "",
          geo_country_code: "",
          data: { plan: "gold" },
        },
        request: {
          url: "https://shop.example.com/cart",
          method: "POST",
          query_string: "a=1",
          data: { item: 5 },
        },
        sdk: { name: "sentry.javascript.node", version: "9.1.0" },
        extras: [
          { key: "second", value: { deep: [1, null] } },
          { key: "first", value: "text" },
        ],
        dependencies: [
          { name: "express", version: "4.18.0" },
          { name: "effect", version: "3.22.4" },
        ],
        release: { id: expect.any(Number), version: "shop@1.2.3" },
        exceptions: [
          {
            type: "CartError",
            value: "empty cart",
            module: "cart",
            handled: false,
            frames: [{ function: "handle" }, { function: "open", lineno: 7, colno: 3, in_app: true }],
          },
        ],
        breadcrumbs: [{ category: "http", message: "GET /" }],
        ingest_truncations: [],
      })
      for (const key of [...listed, ...detailed, ...beyond]) expect(report).toHaveProperty(key)
    }),

    wireCase("have empty strings, nulls and lists for what an event lacks", async (wire) => {
      const report = await Given.report(wire, await Given.project(wire), { message: word("bare ") })
      expect(report).toMatchObject({
        error_type: "Message",
        severity: "error",
        handled: true,
        server_name: "",
        environment: "",
        release_version: "",
        release: null,
        tags: [],
        custom_fingerprint: null,
        transaction_source: null,
        contexts: [],
        extras: [],
        dependencies: [],
        exceptions: [],
        threads: [],
        breadcrumbs: [],
        debug_images: [],
        request: { url: "", method: "", query_string: "", data: {}, cookies: {}, headers: {}, env: {} },
      })
      expect(report.event_id).toMatch(/^[0-9a-f]{32}$/)
    }),

    wireCase("share one release per project and version", async (wire) => {
      const [project, other] = [await Given.project(wire), await Given.project(wire)]
      const release = "app@2"
      const reports = await Given.reports(wire, project, [
        Given.failure({ release }),
        Given.failure({ release }),
      ])
      const [one, two] = reports.map((report) => report.release)
      expect(two).toEqual(one)
      expect((await Given.report(wire, other, Given.failure({ release }))).release.id).not.toBe(one.id)
    }),

    wireCase("have the severity and the handled flag of their event", async (wire) => {
      const project = await Given.project(wire)
      const levels = { fatal: "fatal", warn: "warning", sample: "debug", unheard: "error", info: "info" }
      const reports = await Given.reports(
        wire,
        project,
        Object.keys(levels).map((level) => Given.failure({ level })),
      )
      expect(reports.map(({ severity }) => severity)).toEqual(Object.values(levels))
      const handled = {
        exception: { values: [{ type: "A", value: "b", mechanism: { type: "x", handled: true } }] },
      }
      expect(await Given.report(wire, project, handled)).toMatchObject({ handled: true })
    }),

    wireCase(
      "have the title of the exception raised last, and the innermost frame of the application as culprit",
      async (wire) => {
        const project = await Given.project(wire)
        const frames = (...names: ReadonlyArray<string>) => ({
          frames: names.map((name) => ({ module: name, function: "run", in_app: !name.startsWith("lib") })),
        })
        const report = await Given.report(wire, project, {
          exception: {
            values: [
              { type: "Cause", value: "first", stacktrace: frames("app.a") },
              { type: "Raised", value: "last", stacktrace: frames("app.a", "app.b", "lib.c") },
            ],
          },
        })
        expect(report).toMatchObject({ error_type: "Raised", error_message: "last", culprit: "app.b in run" })
        expect(report.exceptions.map(({ type }: Json) => type)).toEqual(["Cause", "Raised"])
      },
    ),

    wireCase("have the time of receipt if the sender's clock is wrong", async (wire) => {
      const project = await Given.project(wire)
      for (const timestamp of [Given.fromNow(Given.hour), Given.fromNow(-40 * Given.day), "nonsense"]) {
        const report = await Given.report(wire, project, Given.failure({ timestamp }))
        expect(Math.abs(Date.parse(report.occurred_at) - Date.parse(report.created_at))).toBeLessThan(
          Given.minute,
        )
      }
    }),
  ],
}

import { expect } from "vitest"
import * as Given from "./Given.js"
import { named, pathOf, routes } from "./Routes.js"
import * as Walk from "./Walk.js"
import type { Wire } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"
import type { Sending } from "./WireClient.js"

const withBody = routes.filter(({ body, isLenient }) => body !== undefined && !isLenient)

const json = { "content-type": "application/json" }

export const requestBodyWire: WireFile = {
  name: "RequestBody",
  cases: [
    wireCase("answers 400 to a body that is not JSON, by any route that reads one", async (wire) => {
      await refuseAll(
        wire,
        400,
        ["{", "nonsense", "{'name': 1}", '{"a":1,}', "[1", '"', "\u0001", "{}{}", "NaN"].map((body) => ({
          body,
          headers: json,
        })),
      )
    }),

    wireCase(
      "answers 415 to a body of another media type or an encoded one, by any route that reads one",
      async (wire) => {
        await refuseAll(wire, 415, [
          ...[
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/xml",
            "json",
          ].map((type) => ({ body: "{}", headers: { "content-type": type } })),
          { body: "{}", headers: { ...json, "content-encoding": "gzip" } },
        ])
        const { admin } = wire
        const plain = { ...json, "content-encoding": "identity" }
        await admin.expect(422, "POST", "/projects", { body: "{}", headers: plain })
        // An empty body has no media type.
        await admin.refused("POST", "/projects", { headers: { "content-type": "text/plain" } }, "name")
        for (const type of [
          "application/json",
          "application/json; charset=utf-8",
          "APPLICATION/JSON",
          "application/vnd.api+json",
        ]) {
          await admin.expect(422, "POST", "/projects", { body: "{}", headers: { "content-type": type } })
        }
      },
    ),

    wireCase("answers 413 to a body of more than 1 MiB, by any route that reads one", async (wire) => {
      const mebibyte = 1024 * 1024
      const padded = (bytes: number) => `{"padding":"${"x".repeat(bytes - 14)}"}`
      await refuseAll(wire, 413, [{ body: padded(mebibyte + 1), headers: json }])
      const largest = { body: padded(mebibyte), headers: json }
      expect((await wire.admin.send("POST", "/projects", largest)).json.errors).toHaveProperty("name")
    }),

    wireCase("answers 422 to a body that is no object, by any route that reads one", async (wire) => {
      await refuseAll(
        wire,
        422,
        ["[]", "null", "5", '"text"', "true", '[{"name":"x"}]'].map((body) => ({ body, headers: json })),
      )
    }),

    wireCase(
      "reads equal JSON alike: with whitespace, escapes, duplicate keys or a byte order mark",
      async (wire) => {
        const { path } = await Given.project(wire)
        for (const body of [
          ' \n\t{ "timezone" : "Europe/Paris" } \n',
          '\ufeff{"timezone":"Europe/Paris"}',
          '{"\\u0074imezone":"Europe\\/Paris"}',
          '{"timezone":"UTC","timezone":"Europe/Paris"}',
          '{"timezone":"Europe/Paris","__proto__":{"name":"x"},"constructor":1}',
        ]) {
          await wire.admin.patch(path, { timezone: "UTC" })
          const answer = await wire.admin.expect(200, "PATCH", path, { body, headers: json })
          expect([body, answer.timezone]).toEqual([body, "Europe/Paris"])
        }
      },
    ),
  ],
}

// internal

/** Sends each of the bodies by every route that reads one; nothing is changed. */
async function refuseAll(wire: Wire, status: number, sendings: ReadonlyArray<Sending>) {
  const ground = await Walk.prepare(wire, [wire.member])
  const before = await Walk.seen(wire, ground)
  for (const [i, route] of withBody.entries()) {
    // The first routes cover required and optional bodies. The others share their code.
    for (const sending of i < 3 ? sendings : sendings.slice(0, 2)) {
      const answer = await wire.admin.send(route.method, pathOf(route.template, ground.ids), sending)
      const sent = String(sending.body).slice(0, 40)
      expect([named(route), sent, answer.status]).toEqual([named(route), sent, status])
      if (status === 422)
        expect([named(route), Object.keys(answer.json.errors)]).toEqual([named(route), ["base"]])
    }
  }
  expect(await Walk.seen(wire, ground)).toEqual(before)
}

import { expect } from "vitest"
import * as Given from "./Given.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const originsWire: WireFile = {
  name: "Origins",
  cases: [
    wireCase("are created, listed and removed", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const path = `${project.path}/hosted_sourcemap_origins`
      expect(await admin.get(path)).toEqual({
        hosted_sourcemap_origins: [],
        next_cursor: null,
        has_more: false,
      })
      const one = await admin.post(path, { origin: "https://cdn.example.com" }, 201)
      expect(Object.keys(one).sort()).toEqual(["created_at", "id", "origin", "updated_at"])
      const two = await admin.post(path, { origin: "https://cdn.example.com:8443", id: 5 }, 201)
      expect((await admin.get(path)).hosted_sourcemap_origins).toEqual([two, one])
      await admin.delete(`${path}/${one.id}`)
      expect((await admin.get(path)).hosted_sourcemap_origins).toEqual([two])
      await admin.delete(`${path}/${one.id}`, undefined, 404)
      const other = await Given.project(wire)
      await admin.delete(`${other.path}/hosted_sourcemap_origins/${two.id}`, undefined, 404)
      expect((await admin.get(path)).hosted_sourcemap_origins).toEqual([two])
    }),

    wireCase("are answered in their canonical form", async (wire) => {
      const { admin } = wire
      const path = `${(await Given.project(wire)).path}/hosted_sourcemap_origins`
      for (const [given, canonical] of [
        ["https://example.com/", "https://example.com"],
        ["HTTPS://Static.Example.COM", "https://static.example.com"],
        ["https://assets.example.com:443", "https://assets.example.com"],
        ["https://dotted.example.com.", "https://dotted.example.com"],
        ["https://bücher.example.com", "https://xn--bcher-kva.example.com"],
        ["https://port.example.com:08443", "https://port.example.com:8443"],
      ]) {
        expect((await admin.post(path, { origin: given }, 201)).origin).toBe(canonical)
        // Another notation of the same origin.
        await admin.refused("POST", path, { body: { origin: canonical } }, "origin")
      }
    }),

    wireCase("reject anything but an exact public HTTPS origin", async (wire) => {
      const { admin } = wire
      const path = `${(await Given.project(wire)).path}/hosted_sourcemap_origins`
      for (const origin of [
        "",
        " ",
        "example.com",
        "//example.com",
        "http://example.com",
        "ftp://example.com",
        "https://",
        "https:///example.com",
        "https://example.com/path",
        "https://example.com//",
        "https://example.com/?",
        "https://example.com?a=1",
        "https://example.com#a",
        "https://example.com/#",
        "https://user@example.com",
        "https://user:secret@example.com",
        "https://:@example.com",
        "https://*.example.com",
        "https://*",
        "https://exam*ple.com",
        "https://1.2.3.4",
        "https://127.0.0.1",
        "https://0x7f.1",
        "https://2130706433",
        "https://0177.0.0.1",
        "https://1.2.3.4.",
        "https://[::1]",
        "https://[2001:db8::1]:8443",
        "https://localhost",
        "https://app.localhost",
        "https://intranet",
        "https://host.local",
        "https://host.internal",
        "https://example.com:0",
        "https://example.com:99999",
        "https://exa mple.com",
        "https://example.com\\path",
        "https://example..com",
        "https://-.example.com",
        "javascript:alert(1)",
        "null",
        "a\0b",
        5,
        null,
        true,
        [],
        {},
        ["https://example.com"],
      ]) {
        await admin.refused("POST", path, { body: { origin } }, "origin")
      }
      await admin.refused("POST", path, { body: {} }, "origin")
      await admin.refused("POST", path, {}, "origin")
      const wrapped = { hosted_sourcemap_origin: { origin: "https://example.com" } }
      await admin.refused("POST", path, { body: wrapped }, "origin")
      expect((await admin.get(path)).hosted_sourcemap_origins).toEqual([])
    }),

    wireCase("are at most ten a project", async (wire) => {
      const { admin } = wire
      const path = `${(await Given.project(wire)).path}/hosted_sourcemap_origins`
      const origin = () => ({ origin: `https://${word("cdn-")}.example.com` })
      for (let count = 0; count < 8; count++) await admin.post(path, origin(), 201)
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => admin.send("POST", path, { body: origin() })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422])
      await admin.refused("POST", path, { body: origin() }, "origin")
      const { hosted_sourcemap_origins: all } = await admin.get(path)
      expect(all).toHaveLength(10)
      await admin.delete(`${path}/${all[3].id}`)
      await admin.post(path, origin(), 201)
      const other = `${(await Given.project(wire)).path}/hosted_sourcemap_origins`
      await admin.post(other, { origin: all[0].origin }, 201)
    }),
  ],
}

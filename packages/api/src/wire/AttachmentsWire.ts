import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { type Wire, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const everyByte = Uint8Array.from({ length: 3_000 }, (_, index) => index % 256)

/** A report with these attachments, and their paths below the API. */
const reported = async (wire: Wire, attachments: ReadonlyArray<Given.Attachment>, members: Json = []) => {
  const project = await Given.project(wire, members)
  const report = await Given.report(wire, project, Given.failure(), attachments)
  const path = `${project.path}/groups/${report.group_id}/reports/${report.id}`
  return { project, report, paths: report.attachments.map(({ id }: Json) => `${path}/attachments/${id}`) }
}

export const attachmentsWire: WireFile = {
  name: "Attachments",
  cases: [
    wireCase("are listed on their report and downloaded byte by byte", async (wire) => {
      const { paths, report } = await reported(
        wire,
        [
          { filename: "dump.bin", type: "application/x-dump", body: everyByte },
          { filename: "empty.log", type: "text/plain", body: new Uint8Array() },
        ],
        [wire.member],
      )
      expect(report.attachments).toMatchObject([
        { filename: "dump.bin", content_type: "application/x-dump", size: 3_000 },
        { filename: "empty.log", content_type: "text/plain", size: 0 },
      ])
      const full = await wire.member.send("GET", paths[0])
      expect(full.status).toBe(200)
      expect(full.bytes).toEqual(everyByte)
      expect(full.headers.get("content-length")).toBe("3000")
      const empty = await wire.admin.send("GET", paths[1])
      expect([empty.status, empty.bytes.length]).toEqual([200, 0])
      const head = await wire.admin.send("HEAD", paths[0])
      expect([head.status, head.headers.get("content-length")]).toEqual([200, "3000"])
      expect(head.headers.get("content-disposition")).toBe(full.headers.get("content-disposition"))
    }),

    wireCase("are sent as downloads, with a generic type if theirs could run code", async (wire) => {
      const types = {
        "text/plain": "text/plain; charset=utf-8",
        "text/plain; charset=UTF-8": "text/plain; charset=utf-8",
        "application/json": "application/json",
        "image/png": "image/png",
        "text/plain; charset=utf-7": "application/octet-stream",
        "text/html": "application/octet-stream",
        "image/svg+xml": "application/octet-stream",
        "Application/XHTML+xml; charset=utf-8": "application/octet-stream",
      }
      const body = Buffer.from("<script>alert(1)</script>")
      const { paths } = await reported(
        wire,
        Object.keys(types).map((type) => ({ filename: "page.html", type, body })),
      )
      const sent: Array<string | null> = []
      for (const path of paths) {
        const { headers, status } = await wire.admin.send("GET", path)
        expect(status).toBe(200)
        expect(headers.get("content-disposition")).toMatch(/^attachment; /)
        expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/)
        sent.push(headers.get("content-type"))
      }
      expect(sent).toEqual(Object.values(types))
    }),

    wireCase("have names that are safe in headers and as file names", async (wire) => {
      const names: ReadonlyArray<readonly [given: string, plain: string, exact: string]> = [
        ["crash.log", "crash.log", ""],
        ["../../etc/passwd", "_.._etc_passwd", ""],
        ["C:\\windows\\a.dll", "C__windows_a.dll", ""],
        ['a"; filename="b.exe', "a_; filename=_b.exe", ""],
        ["a\r\nset-cookie: b=c", "a__set-cookie_ b=c", ""],
        ["100%25.txt", "100_25.txt", "100%2525.txt"],
        ["größe 🌍.txt", "gr__e _.txt", "gr%C3%B6%C3%9Fe%20%F0%9F%8C%8D.txt"],
        ["it's (one)*.txt", "it's (one)_.txt", ""],
        ["invoice\u202Efdp.exe", "invoice_fdp.exe", ""],
        ["..", "", ""],
      ]
      const { paths, report } = await reported(
        wire,
        names.slice(0, 8).map(([filename]) => ({ filename, type: "text/plain", body: everyByte })),
      )
      const others = await reported(
        wire,
        names.slice(8).map(([filename]) => ({ filename, type: "text/plain", body: everyByte })),
      )
      const found: Array<readonly [string, string, string]> = []
      for (const [index, path] of [...paths, ...others.paths].entries()) {
        const { headers } = await wire.admin.send("GET", path)
        const disposition = headers.get("content-disposition") ?? ""
        const [, plain = "", exact = ""] =
          /^attachment; filename="([^"\\]*)"(?:; filename\*=UTF-8''(\S+))?$/.exec(disposition) ?? []
        found.push([names[index]![0], plain.replace(/^attachment-\d+$/, ""), exact])
        expect(headers.get("set-cookie")).toBeNull()
      }
      expect(found).toEqual(names)
      expect(report.attachments[0].filename).toBe("crash.log")
    }),

    wireCase("are found on their own report only", async (wire) => {
      const { paths, project, report } = await reported(wire, [
        { filename: "a.log", type: "text/plain", body: everyByte },
      ])
      const [{ id }] = report.attachments
      const other = await Given.report(wire, project, Given.failure({}, word("Other")))
      for (const path of [
        `${project.path}/groups/${other.group_id}/reports/${other.id}/attachments/${id}`,
        `${project.path}/groups/${other.group_id}/reports/${report.id}/attachments/${id}`,
        `${project.path}/groups/${report.group_id}/reports/${report.id}/attachments/${id + 1_000_000}`,
        `${project.path}/groups/${report.group_id}/reports/${report.id}/attachments/a.log`,
      ]) {
        expect([path, (await wire.admin.send("GET", path)).status]).toEqual([path, 404])
      }
      expect((await wire.admin.send("GET", paths[0])).status).toBe(200)
    }),
  ],
}

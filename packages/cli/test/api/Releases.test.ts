import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createProject } from "../support/Rest.js"
import { uploadFile, uploadNoBundle } from "../support/Uploads.js"
import { wire } from "./support/Cli.js"
import { cli, failure, projectWith, TestServer } from "./support/TestServer.js"

layer(TestServer.layer, { excludeTestServices: true })("errata releases and errata artifacts", (it) => {
  it.effect("show reported and uploaded versions, by version and by id", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const project = yield* projectWith("Told of", [
        failure("TypeError", { release: "shop@1.4.0" }),
        failure("RangeError", { release: "shop@1.4.0" }),
      ])
      const env = { ERRATA_PROJECT: "Told of" }
      yield* uploadFile(server, project, { release: "7", name: "~/app.js.map", content: "{}" })
      const listed = yield* cli(["releases", "list"], { env })
      expect(listed).toMatchObject({ code: 0, stderr: "" })
      expect(listed.stdout).toMatch(
        new RegExp(
          [
            "^ID  VERSION     REPORTS  NEW GROUPS  FIRST SEEN {2,}RELEASED",
            " *(\\d+)  7 +0 +0",
            " *(\\d+)  shop@1\\.4\\.0 +2 +2  (just now|\\d+s ago)\n$",
          ].join("\n"),
        ),
      )
      const id = /^ *(\d+) {2}shop/m.exec(listed.stdout)![1]!
      const byVersion = yield* cli(["releases", "get", "shop@1.4.0"], { env })
      expect(byVersion.stdout).toMatch(
        /^Release +shop@1\.4\.0\nID +\d+\nStatus +open\nReports +2\nGroups +2\nNew groups +2\nFirst seen +\S+ \S+ UTC /,
      )
      const byId = yield* cli(["releases", "get", id, "--json"], { env })
      expect(byId.stdout).toBe(`${yield* wire(server, `/projects/${project.id}/releases/${id}`)}\n`)
      // A version that looks like an id.
      expect(JSON.parse((yield* cli(["releases", "get", "7", "--json"], { env })).stdout)).toMatchObject({
        version: "7",
      })
      expect(yield* cli(["releases", "get", "shop@9"], { env })).toEqual({
        code: 4,
        stdout: "",
        stderr: "errata: Not found: the project has no release shop@9\n",
      })
      expect(yield* cli(["releases", "get", "99999"], { env })).toMatchObject({ code: 4, stdout: "" })
    }),
  )

  it.effect("show uploads with their files and failures, and delete them", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const project = yield* createProject(server, "Built")
      const env = { ERRATA_PROJECT: "Built" }
      expect(yield* cli(["artifacts", "list"], { env })).toEqual({
        code: 0,
        stdout: "",
        stderr: "No uploads.\n",
      })
      const content = "x".repeat(3 * 1024 * 1024)
      // A right-to-left mark must not reach a terminal.
      const id = yield* uploadFile(server, project, {
        release: "shop@2",
        dist: "5",
        name: "~/\u202eapp.js",
        content,
      })
      yield* uploadNoBundle(server, project)
      const listed = yield* cli(["artifacts", "list"], { env })
      expect(listed.stdout.split("\n")).toEqual([
        expect.stringMatching(/^ID {2}KIND {10}WHAT {2,}FILES {2,}SIZE {2}UPLOADED {2,}USED$/),
        expect.stringMatching(/^ *\d+ {2}bundle {8}failed: .+ 0 +0\.0 KiB {2}(just now|\d+s ago)$/),
        expect.stringMatching(
          /^ *\d+ {2}release_file {2}~\/�app\.js of shop@2 \(5\) +1 +3\.0 MiB {2}(just now|\d+s ago)$/,
        ),
        "",
      ])
      const shown = yield* cli(["artifacts", "get", String(id)], { env })
      expect(shown.stdout).toMatch(
        /^Upload +\d+\nKind +release_file\nState +ok\nName +~\/�app\.js\nRelease +shop@2 \(5\)\n/,
      )
      expect(shown.stdout).toMatch(/\nUploaded by +Admin\n/)
      expect(shown.stdout).toMatch(/\nFiles +1\n {2}minified_source {2}~\/�app\.js {2}3\.0 MiB\n$/)
      const asJson = yield* cli(["artifacts", "get", String(id), "--json"], { env })
      expect(asJson.stdout).toBe(`${yield* wire(server, `/projects/${project.id}/artifact_bundles/${id}`)}\n`)

      expect(yield* cli(["artifacts", "delete", String(id)], { env })).toEqual({
        code: 0,
        stdout: "",
        stderr: `Deleted upload ${id}.\n`,
      })
      for (const verb of ["get", "delete"]) {
        expect(yield* cli(["artifacts", verb, String(id)], { env })).toMatchObject({ code: 4, stdout: "" })
        expect(yield* cli(["artifacts", verb, "0"], { env })).toMatchObject({ code: 2, stdout: "" })
      }
    }),
  )
})

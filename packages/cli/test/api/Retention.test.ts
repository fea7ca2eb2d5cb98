import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { wire } from "./support/Cli.js"
import { cli, TestServer } from "./support/TestServer.js"

layer(TestServer.layer, { excludeTestServices: true })("errata retention", (it) => {
  it.effect("refuses to run while error retention is off, and has nothing to list", () =>
    Effect.gen(function* () {
      yield* cli(["policies", "set", "error-retention", "enabled=false"])
      const refused = yield* cli(["retention", "run"])
      expect(refused.code).not.toBe(0)
      expect(refused.stderr).toContain("enabled must be true")
      expect(yield* cli(["retention", "list"])).toEqual({
        code: 0,
        stdout: "",
        stderr: "Retention has not run yet.\n",
      })
    }),
  )

  it.effect("waits for a run or only starts it, and lists what it removed", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      yield* cli(["policies", "set", "error-retention", "enabled=true", "time_purge_type=full"])
      const run = yield* cli(["retention", "run", "--json"])
      expect(run.code).toBe(0)
      const done = JSON.parse(run.stdout)
      expect(done).toMatchObject({ state: "succeeded", trigger: "requested", time_purge_type: "full" })
      expect(yield* cli(["retention", "list", "--json"])).toMatchObject({
        stdout: `${yield* wire(server, "/data_retention/runs")}\n`,
      })
      const asked = yield* cli(["retention", "run", "--no-wait"])
      expect(asked.stdout).toMatch(
        new RegExp(`^Run +${done.id + 1}\nRemoves +errors\nState +(waiting|running)\n`),
      )
      const { stdout } = yield* cli(["retention", "list", "--limit", "2"])
      expect(stdout).toMatch(
        /^ID {2}WHAT +WHY +STATE +STARTED +MODE +REPORTS {2}GROUPS {2}UPLOADS {2}RETURNED\n/,
      )
      expect(stdout).toContain("requested")
      yield* cli(["policies", "set", "error-retention", "enabled=false"])
    }),
  )
})

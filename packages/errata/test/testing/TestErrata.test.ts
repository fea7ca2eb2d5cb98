import { AssertionError } from "node:assert"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterEach, describe, expect, it, vi } from "vitest"
import { buildProgram } from "../../../../test/Program.js"
import { createTestErrata, type Expected, type TestErrata } from "../../src/testing/index.js"

class OutOfTea extends Error {
  override readonly name = "OutOfTea"
}

describe("a tracker for tests", () => {
  const open: Array<TestErrata> = []
  afterEach(async () => {
    for (const errata of open.splice(0)) await errata.close()
  })
  const make = async (...args: Parameters<typeof createTestErrata>) => {
    const errata = await createTestErrata(...args)
    open.push(errata)
    return errata
  }

  it("finds a reported error by each expected property", async () => {
    const errata = await make()
    await errata.expectNothingReported()
    const other = await errata.projects.create({ name: "Other" })
    await errata.capture(new OutOfTea("the blue kettle"), {
      tags: { kettle: "blue", cups: 2 },
      user: { id: 7 },
    })
    await errata.capture(new TypeError("no cups"), { project: other, severity: "fatal", handled: false })
    const found: ReadonlyArray<Expected> = [
      "blue kettle",
      /^the .* kettle$/,
      OutOfTea,
      new OutOfTea("the blue kettle"),
      { tags: { kettle: "blue", cups: 2 }, user: { id: 7 } },
      { type: "OutOfTea", message: "the blue kettle", tags: { kettle: "blue" }, user: { user_id: "7" } },
      { message: /kettle/, handled: true, severity: "error", projectId: errata.project.id },
    ]
    for (const expected of found) {
      expect(await errata.expectReported(expected)).toMatchObject({ error_type: "OutOfTea" })
    }
    expect(
      await errata.expectReported({ severity: "fatal", handled: false, projectId: other.id }),
    ).toMatchObject({
      error_message: "no cups",
    })
    expect((await errata.reported()).map(({ error_type: type }) => type)).toEqual(["OutOfTea", "TypeError"])
    await errata.expectNothingReported(RangeError)
    // A pattern with state matches repeatedly.
    const everywhere = /kettle/g
    for (const expected of [everywhere, everywhere, { message: everywhere }]) {
      expect(await errata.expectReported(expected)).toMatchObject({ error_type: "OutOfTea" })
    }
  })

  it("lists the reported errors if none matches", async () => {
    const errata = await make()
    await expect(errata.expectReported(OutOfTea)).rejects.toThrow(/Nothing was reported/)
    await errata.capture(new OutOfTea("the blue kettle"), { tags: { kettle: "blue" } })
    const missed: ReadonlyArray<Expected> = [
      "green",
      /^kettle/,
      TypeError,
      new OutOfTea("the green kettle"),
      new RangeError("the blue kettle"),
      { user: { id: 8 } },
      { tags: { kettle: "green" } },
      { handled: false },
    ]
    for (const expected of missed) {
      const failure: unknown = await errata.expectReported(expected).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(AssertionError)
      expect((failure as Error).message).toBe(
        "No error was reported as expected.\nReported:\n  error OutOfTea: the blue kettle kettle=blue",
      )
    }
    await expect(errata.expectNothingReported()).rejects.toThrow(/was not expected/)
    await expect(errata.expectNothingReported(OutOfTea)).rejects.toThrow(/the blue kettle/)
  })

  it("has a clock that only advance moves", async () => {
    const errata = await make({ now: "2026-02-03T04:05:06Z" })
    await errata.capture(new Error("a"))
    errata.advance(1_500)
    await errata.capture(new Error("b"))
    expect(
      (await errata.reported()).map(({ created_at, error_message, occurred_at }) => [
        error_message,
        occurred_at,
        created_at,
      ]),
    ).toEqual([
      ["a", "2026-02-03T04:05:06.000Z", expect.stringMatching(/^2026-02-03T04:05:0[67]/)],
      ["b", "2026-02-03T04:05:07.500Z", "2026-02-03T04:05:07.500Z"],
    ])
    expect(errata.now().toISOString()).toBe("2026-02-03T04:05:07.500Z")
  })

  it.each(["while they are installed", "before they are installed"])(
    "works with fake timers if it is created %s",
    async (when) => {
      if (when.startsWith("while")) vi.useFakeTimers()
      try {
        const errata = await make({ baseUrl: "http://localhost" })
        vi.useFakeTimers()
        const heard: Array<string> = []
        errata.on("group.created", ({ group }) => void heard.push(group.error_message))
        await errata.capture(new OutOfTea("the blue kettle"))
        await errata.expectReported(OutOfTea)
        expect(heard).toEqual(["the blue kettle"])
        expect(await errata.notified()).toEqual([])
        expect((await errata.fetch(new Request("http://localhost/up"))).status).toBe(200)
        const { id, token } = errata.project
        const sent = await errata.fetch(
          new Request(`http://localhost/api/${id}/store/?sentry_key=${token}&sentry_version=7`, {
            method: "POST",
            body: JSON.stringify({ message: "sent" }),
          }),
        )
        expect(sent.status).toBe(200)
        await errata.expectReported("sent")
        await errata.close()
      } finally {
        vi.useRealTimers()
      }
    },
  )

  it("rejects a misspelt property, and a time that is not a number", async () => {
    const errata = await make()
    await errata.capture(new OutOfTea("the blue kettle"))
    const misspelt = { typ: "OutOfTea" } as Expected
    await expect(errata.expectReported(misspelt)).rejects.toThrow("Unknown option typ of an expected report")
    expect(() => errata.advance(Number.NaN)).toThrow("a number of milliseconds for advance")
    await expect(make({ now: "yesterday" })).rejects.toThrow("a valid date as now")
  })

  it("works with the test runner of Node, which ends when the tests do", async () => {
    const program = await buildProgram("node-test", new URL("nodeTest.ts", import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, ["--test-reporter=tap", program], {
      env: { PATH: process.env["PATH"] },
    })
    expect(stdout).toMatch(/# pass 2\n# fail 0/)
  })
})

// A test of an application under Jest, with the settings of Jest and Node as they are.
const { createErrata, memory } = require("errata")
const { createTestErrata } = require("errata/testing")

// Only ends what hangs.
jest.setTimeout(60_000)

test("an error is reported with its type and its stack", async () => {
  const errata = await createTestErrata()
  await errata.capture(new RangeError("no cups", { cause: new TypeError("no tea") }))
  const report = await errata.expectReported({ type: "RangeError", message: "no cups" })
  expect(report.exceptions.map(({ frames }) => frames.length > 0)).toEqual([true, true])
  await errata.close()
})

test("an error is reported while timers are fake", async () => {
  jest.useFakeTimers()
  const errata = await createTestErrata()
  await errata.capture(new RangeError("no cups"))
  await errata.expectReported(RangeError)
  await errata.close()
  jest.useRealTimers()
})

test("an instance of the application is one of the same module", async () => {
  const errata = await createErrata({ storage: memory(), log: "silent" })
  await errata.capture(new Error("no milk"))
  await errata.flush()
  const { groups } = await errata.groups.list(errata.project.id)
  expect(groups.map(({ error_message: message }) => message)).toEqual(["no milk"])
  await errata.close()
})

/** A test of an application with the runner of Node, which knows nothing of vitest. */
import assert from "node:assert"
import { after, test } from "node:test"
import { createTestErrata } from "../../src/testing/index.js"

const errata = await createTestErrata()
after(() => errata.close())

test("what is expected is reported", async () => {
  await errata.capture(new RangeError("out of tea"))
  const report = await errata.expectReported({ type: "RangeError", message: /tea/ })
  assert.equal(report.server_name, "test")
})

test("what is not reported fails a test", async () => {
  await assert.rejects(errata.expectReported("coffee"), { name: "AssertionError", code: "ERR_ASSERTION" })
})

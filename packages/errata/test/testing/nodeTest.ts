/** A test of an application with the runner of Node, which knows nothing of vitest. */
import assert from "node:assert"
import { after, test } from "node:test"
import { createTestErrata } from "../../src/testing/index.js"

const errata = await createTestErrata()
after(() => errata.close())

test("an expected error is found", async () => {
  await errata.capture(new RangeError("out of tea"))
  const report = await errata.expectReported({ type: "RangeError", message: /tea/ })
  assert.equal(report.server_name, "test")
})

test("a missing error fails a test", async () => {
  await assert.rejects(errata.expectReported("coffee"), { name: "AssertionError", code: "ERR_ASSERTION" })
})

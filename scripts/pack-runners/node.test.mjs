// A test of an application under node:test.

import { test } from "node:test"
import { createTestErrata } from "errata/testing"

test("an error is reported", async () => {
  const errata = await createTestErrata()
  await errata.capture(new RangeError("no cups"))
  await errata.expectReported({ type: "RangeError" })
  await errata.close()
})

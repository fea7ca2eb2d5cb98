// A test of an application under vitest.
import { createTestErrata } from "errata/testing"
import { it } from "vitest"

it("reports an error", async () => {
  const errata = await createTestErrata()
  await errata.capture(new RangeError("no cups"))
  await errata.expectReported({ type: "RangeError" })
  await errata.close()
})

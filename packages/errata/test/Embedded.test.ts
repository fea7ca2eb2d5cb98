import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { embedded } from "../src/embedded.js"
import { failureOf, instances } from "./support/Instances.js"

const make = instances()

it("an instance on an embedded database keeps its data and its key across restarts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "errata-door-"))
  const storage = embedded({ dir: join(folder, "data") })
  try {
    const errata = await make({ storage })
    const eventId = await errata.capture(new Error("kept"))
    await errata.flush({ timeout: 30_000 })
    const webhook = await errata.webhooks.create(errata.project.id, {
      url: "http://127.0.0.1:9/",
      events: ["group.created"],
    })
    // One process at a time works on a folder, and in it one instance.
    expect(await failureOf(make({ storage }))).toMatchObject({ code: "StartFailed" })
    await errata.close()

    const again = await make({ storage })
    expect(again.project).toEqual(errata.project)
    expect(await again.reports.findByEventId(again.project.id, eventId)).toMatchObject({
      error_message: "kept",
    })
    // A test is signed, which needs the key that sealed the secret. The address is not public, so nothing is sent.
    expect(await again.webhooks.test(again.project.id, webhook.id)).toMatchObject({ success: false })
    await again.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** A program that ends in the way that its arguments name: `crash.mjs WAY STORAGE`. */
import { PendingPayloads } from "@errata/core/ports"
import { Effect, Layer } from "effect"
import { embedded } from "../../src/embedded.js"
import { createErrata, type ErrataStorage, memory } from "../../src/index.js"
import { postgres } from "../../src/postgres.js"

/** A storage that never completes a write. */
const silent: ErrataStorage = {
  name: "silent",
  layer: Layer.merge(
    memory().layer,
    Layer.effect(
      PendingPayloads,
      Effect.map(PendingPayloads, (queue) => ({ ...queue, append: () => Effect.never })),
    ).pipe(Layer.provide(memory().layer)),
  ),
}

const [way = "", place = ""] = process.argv.slice(2)
const errata = await createErrata({
  storage:
    place === "silent"
      ? silent
      : place.startsWith("postgres")
        ? postgres({ url: place })
        : embedded({ dir: place }),
  // Fatal errors are always stored.
  sampleRate: way === "exception" ? 0 : 1,
})
errata.installProcessHandlers({ timeout: place === "silent" ? 300 : 120_000 })
// A server does as much for an application.
setInterval(() => {}, 60_000)

const ways: Readonly<Record<string, () => void>> = {
  exception: () => {
    throw new RangeError("thrown")
  },
  rejection: () => void Promise.reject(new RangeError("rejected")),
  SIGTERM: () => {
    void errata.capture(new RangeError("before the signal"))
    process.kill(process.pid, "SIGTERM")
  },
  handled: () => {
    process.on("uncaughtException", () => errata.flush({ timeout: 120_000 }).finally(() => process.exit(7)))
    throw new RangeError("handled elsewhere")
  },
}
setTimeout(() => ways[way]?.(), 50)

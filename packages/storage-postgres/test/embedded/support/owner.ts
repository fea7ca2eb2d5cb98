/** A process that owns an embedded database, for tests to kill: `node owner.js DATA_FOLDER [LINGER_MS]`. */
import { Cause, Effect, Fiber, Logger, Option, Redacted } from "effect"
import * as EmbeddedPostgres from "../../../src/embedded/EmbeddedPostgres.js"

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)
const [, , dataDir = "", linger = "0"] = process.argv

const program = Effect.gen(function* () {
  const { url, superuserUrl, pid } = yield* EmbeddedPostgres.make({ dataDir })
  say({ url: Redacted.value(url), superuserUrl: Redacted.value(superuserUrl), pid: yield* pid })
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.provide(Logger.layer([])))

const fiber = Effect.runFork(program)
fiber.addObserver((exit) => {
  if (exit._tag === "Success") return
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error !== undefined) say({ ...error, error: error._tag, message: error.message })
  else if (!Cause.hasInterruptsOnly(exit.cause)) say({ error: "Defect", message: Cause.pretty(exit.cause) })
  process.exitCode = error === undefined ? 0 : 1
})
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => setTimeout(() => Effect.runFork(Fiber.interrupt(fiber)), Number(linger)))
}

/** Runs PgBouncer in front of a database, if it is installed. */
import { execFileSync } from "node:child_process"
import { Effect, Redacted, type Scope } from "effect"
import { isInstalled, launch, type Mode, program } from "./pgbouncerProcess.js"
import { freePort } from "./port.js"

export { isInstalled, type Mode }

/** Its version, such as `1.18`; 0 if it is not installed. */
export const version = isInstalled
  ? Number(/\d+\.\d+/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))?.[0])
  : 0

/** Starts a pooler in a mode and returns its URL. It ends with the scope. */
export const make = (
  database: Redacted.Redacted,
  mode: Mode,
  more: ReadonlyArray<string> = [],
): Effect.Effect<Redacted.Redacted, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => launch(new URL(Redacted.value(database)), mode, await freePort(), more)),
      ({ end }) => Effect.promise(end),
    ),
    ({ url }) => Redacted.make(url),
  )

/** The application with the Node SDK, in its own process. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

interface Line {
  readonly kind: "event" | "transaction" | "request" | "answer"
  readonly event_id: string
  /** In seconds. */
  readonly timestamp: number
  readonly status: number
  readonly encoding: string
}

export interface Outcome {
  readonly code: number
  readonly lines: ReadonlyArray<Line>
  readonly stderr: string
}

/** The file that the stacks refer to. */
export const file = fileURLToPath(new URL("../apps/node.mjs", import.meta.url))

/** The working directory of the application. The SDK reports the packages in its manifest. */
export const root = fileURLToPath(new URL("../../../../..", import.meta.url))

export const run = (dsn: string, scenario: string, ...args: ReadonlyArray<string>): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const child = execFile(
      process.execPath,
      [file, scenario, ...args],
      // The limit only ends tests that have failed.
      { cwd: root, env: { ...process.env, SENTRY_DSN: dsn }, timeout: 120_000 },
      (_, stdout, stderr) => {
        const lines = stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []))
        resume(Effect.succeed({ code: child.exitCode ?? -1, lines, stderr }))
      },
    )
    return Effect.sync(() => child.kill())
  })

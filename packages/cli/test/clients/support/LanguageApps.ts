/** Applications with the SDKs of other languages, as the packages of Debian install them. */
import { execFile, execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

export interface App {
  /** The package of Debian, for tests that are skipped without it. */
  readonly needs: string
  readonly isInstalled: boolean
  /** Runs a scenario to its end and returns the exit code. */
  readonly run: (dsn: string, scenario: string) => Effect.Effect<number>
}

const folder = fileURLToPath(new URL("../apps", import.meta.url))

// Other installations of a language do not see the system's packages.
const python = "/usr/bin/python3"
const ruby = "/usr/bin/ruby"
const go = "/usr/bin/go"
const goPath = "/usr/share/gocode"

const answers = (program: string, ...args: ReadonlyArray<string>): boolean => {
  if (!existsSync(program)) return false
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const run =
  (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  (dsn: string, scenario: string): Effect.Effect<number> =>
    Effect.callback((resume) => {
      const child = execFile(
        program,
        [...args, scenario],
        // The limit only ends tests that have failed.
        { cwd: folder, env: { ...process.env, ...env, SENTRY_DSN: dsn }, timeout: 300_000 },
        () => resume(Effect.succeed(child.exitCode ?? -1)),
      )
      return Effect.sync(() => child.kill())
    })

export const pythonApp: App = {
  needs: "python3-sentry-sdk",
  isInstalled: answers(python, "-c", "import sentry_sdk"),
  // -B writes no compiled files into the checkout.
  run: run(python, ["-B", "python/app.py"]),
}

export const rubyApp: App = {
  needs: "ruby-sentry-ruby",
  isInstalled: answers(ruby, "-e", 'require "logger"; require "sentry-ruby"'),
  run: run(ruby, ["ruby/app.rb"]),
}

export const goApp: App = {
  needs: "golang-github-getsentry-sentry-go-dev",
  isInstalled: existsSync(go) && existsSync(`${goPath}/src/github.com/getsentry/sentry-go`),
  run: run(go, ["run", "go/main.go"], { GOPATH: goPath, GO111MODULE: "off" }),
}

/** Upload clients as black boxes: their published binaries, and builds with their plugins. */
import { execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Finished {
  readonly code: number | null
  /** Standard output and standard error. */
  readonly output: string
}

export interface Server {
  readonly url: string
  readonly apiKey: string
}

/** Creates a temporary folder, which is also the home of the clients. */
export const folder = (): string => mkdtempSync(join(tmpdir(), "errata-uploads-"))

/** Writes a script and its map as a bundler does: different each time and larger than a chunk. */
export const writeBuild = (root: string): string => {
  const dist = join(root, `dist-${randomBytes(4).toString("hex")}`)
  mkdirSync(dist)
  const source = `export const noise = "${randomBytes(2_000).toString("hex")}"\nfunction explode() { throw new Error(noise) }\n`
  writeFileSync(
    join(dist, "app.js"),
    `function e(){throw new Error("${randomBytes(8).toString("hex")}")}e();\n//# sourceMappingURL=app.js.map\n`,
  )
  writeFileSync(
    join(dist, "app.js.map"),
    JSON.stringify({
      version: 3,
      file: "app.js",
      sources: ["../src/app.js"],
      sourcesContent: [source],
      names: [],
      mappings: "AAAA,SAAS",
    }),
  )
  return dist
}

/** Creates a repository with one commit and returns the commit's id. */
export const writeRepository = (root: string): string => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: root,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: root },
    })
  git("init", "--quiet")
  git("remote", "add", "origin", "https://git.example.com/acme/web.git")
  writeFileSync(join(root, "a.txt"), "a")
  git("add", "a.txt")
  git("commit", "--quiet", "--message", "Mend the cart")
  return git("rev-parse", "HEAD").trim()
}

/** Writes the sources of the builds with plugins. */
export const writeSources = (root: string): void => {
  writeFileSync(
    join(root, "cart.js"),
    `export const noise = "${randomBytes(2_000).toString("hex")}"\nexport function checkout() { throw new Error(noise) }\n`,
  )
  writeFileSync(join(root, "main.js"), `import { checkout } from "./cart.js"\nsetTimeout(checkout, 10)\n`)
}

export interface CommandLineClient {
  readonly name: string
  readonly engine: "rust" | "typescript"
  readonly run: (
    server: Server,
    home: string,
    args: ReadonlyArray<string>,
    env?: Record<string, string>,
  ) => Promise<Finished>
}

export const commandLineClients: ReadonlyArray<CommandLineClient> = [
  rust("sentry-cli-2-39"),
  rust("sentry-cli-2-58"),
  rust("sentry-cli-3"),
  {
    name: "sentry",
    engine: "typescript",
    run: (server, home, args, env) => run(process.execPath, [sentryScript(), ...args], server, home, env),
  },
]

export const build = (
  server: Server,
  home: string,
  bundler: string,
  projects: ReadonlyArray<string>,
): Promise<Finished> =>
  run(
    process.execPath,
    [new URL("../apps/build.mjs", import.meta.url).pathname, bundler, home, ...projects],
    server,
    home,
  )

// internal

const require = createRequire(import.meta.url)

function rust(name: string): CommandLineClient {
  return {
    name,
    engine: "rust",
    run: (server, home, args, env) => run(binaryOf(name), args, server, home, env),
  }
}

/** The package does not export the path of the script that it starts. */
const sentryScript = (): string => {
  const places = (require.resolve.paths("sentry") ?? []).map((place) => join(place, "sentry/dist/bin.cjs"))
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error("The package sentry is not installed")
  return found
}

/** The binary that the package starts; its `bin` is a wrapper script. */
const binaryOf = (name: string): string => {
  const exported = require(name) as { getPath?: () => string; SentryCli?: { getPath: () => string } }
  return (exported.SentryCli ?? (exported as { getPath: () => string })).getPath()
}

const run = (
  command: string,
  args: ReadonlyArray<string>,
  { apiKey, url }: Server,
  home: string,
  env: Record<string, string> = {},
): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: home,
      stdio: ["ignore", "pipe", "pipe"],
      // Without the machine's settings and without access to other networks.
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        SENTRY_URL: url,
        SENTRY_AUTH_TOKEN: apiKey,
        SENTRY_ORG: "errata",
        SENTRY_DISABLE_UPDATE_CHECK: "1",
        SENTRY_CLI_NO_TELEMETRY: "1",
        SENTRY_CLI_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
        ...env,
      },
    })
    let output = ""
    const read = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })

/**
 * `node scripts/upload-matrix.mjs [--bin FILE]`: runs the upload clients against a server in memory, and writes the
 * results into docs/source-maps.md. Needs the built command (`npm run build`) or another build of it.
 */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const root = fileURLToPath(new URL("../", import.meta.url))
const { values } = parseArgs({
  options: { bin: { type: "string", default: join(root, "packages/cli/dist/bin.js") } },
})
const require = createRequire(join(root, "packages/cli/package.json"))
const page = join(root, "docs/source-maps.md")
const apiKey = "errata_0123456789abcdef0123456789abcdef"
const home = mkdtempSync(join(tmpdir(), "errata-matrix-"))

const start = async () => {
  const child = spawn(
    process.execPath,
    [resolve(values.bin), "serve", "--port", "0", "--storage", "memory"],
    {
      cwd: home,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        ERRATA_ADMIN_API_KEY: apiKey,
        ERRATA_ENCRYPTION_KEY: Buffer.alloc(32, "test").toString("base64"),
        ERRATA_LOG_LEVEL: "error",
      },
    },
  )
  let output = ""
  const url = await new Promise((done, reject) => {
    child.stdout.on("data", (chunk) => {
      output += chunk
      const found = /listening on (http:\S+)/.exec(output)
      if (found !== null) done(found[1])
    })
    child.once("close", () => reject(new Error(`The server ended: ${output}`)))
  })
  return { child, url }
}

const server = await start()

const run = (command, args, project) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: home,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        SENTRY_URL: server.url,
        SENTRY_AUTH_TOKEN: apiKey,
        SENTRY_ORG: "errata",
        SENTRY_PROJECT: project,
        SENTRY_DISABLE_UPDATE_CHECK: "1",
        SENTRY_CLI_NO_TELEMETRY: "1",
        SENTRY_CLI_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
      },
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk
      })
    }
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })

const rest = async (method, path, body) => {
  const answer = await fetch(`${server.url}/api/service/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`)
  return answer.json()
}

const createProject = (name) => rest("POST", "/projects", { name })

/** Sends an error of the uploaded script and returns its event id once it is recorded. */
const sendError = async ({ id, token }) => {
  const eventId = randomUUID().replaceAll("-", "")
  const frame = { filename: "https://shop.example.com/app.js", lineno: 1, colno: 1, in_app: true }
  const exception = { values: [{ type: "Error", value: "x", stacktrace: { frames: [frame] } }] }
  await fetch(`${server.url}/api/${id}/store/?sentry_key=${token}`, {
    method: "POST",
    body: JSON.stringify({ event_id: eventId, platform: "javascript", release: "1.0", exception }),
  })
  for (;;) {
    const { reports_count: count } = await rest("GET", `/projects/${id}`)
    if (count > 0) return eventId
    await setTimeout(50)
  }
}

/** Returns "yes", or the server's message as printed by the client. */
const resultOf = ({ code, output }) => {
  if (code === 0) return "yes"
  const said =
    /(Errata (?:has no|cannot use)[^\n]*?|This client cannot[^\n]*?)(?: \(http status[^\n]*)?(?:\n|$)/.exec(
      output,
    )
  return said === null ? `no (exit code ${code})` : "refused with a sentence"
}

const dist = join(home, "dist")
mkdirSync(dist)
writeFileSync(
  join(dist, "app.js"),
  'function e(){throw new Error("x")}e();\n//# sourceMappingURL=app.js.map\n',
)
writeFileSync(
  join(dist, "app.js.map"),
  '{"version":3,"file":"app.js","sources":["a.js"],"sourcesContent":["e()"],"names":[],"mappings":"AAAA"}',
)
copyFileSync(process.execPath, join(home, "prog"))

const rustSteps = {
  upload: ["sourcemaps", "upload", "--release", "1.0", "dist"],
  again: ["sourcemaps", "upload", "--release", "1.0", "dist"],
  release: ["releases", "finalize", "1.0"],
  lists: [
    ["projects", "list"],
    ["releases", "list"],
    ["repos", "list"],
  ],
  errors: [
    ["issues", "list"],
    ["events", "list"],
  ],
  debug: ["debug-files", "upload", "prog"],
  explain: ["sourcemaps", "explain"],
}
const newSteps = {
  upload: ["sourcemap", "upload", "--release", "1.0", "dist"],
  again: ["sourcemap", "upload", "--release", "1.0", "dist"],
  release: ["release", "finalize", "errata/1.0"],
  lists: [
    ["project", "list"],
    ["release", "list"],
    ["repo", "list"],
  ],
  errors: [["issue", "list"]],
  debug: null,
  explain: null,
}

const pathOf = (name) => {
  const exported = require(name)
  return (exported.SentryCli ?? exported).getPath()
}
const versionOf = (name) => {
  const at = require.resolve.paths(name).map((folder) => join(folder, name, "package.json"))
  for (const path of at) {
    try {
      return JSON.parse(readFileSync(path, "utf8")).version
    } catch {}
  }
  return "?"
}

const rows = []
try {
  for (const alias of ["sentry-cli-2-39", "sentry-cli-2-58", "sentry-cli-3", "sentry"]) {
    const isRust = alias !== "sentry"
    const script = isRust ? null : join(root, "node_modules/sentry/dist/bin.cjs")
    const project = await createProject(alias)
    const steps = isRust ? rustSteps : newSteps
    const step = async (args) => {
      if (args === null) return "none"
      const all = Array.isArray(args[0]) ? args : [args]
      const results = new Set()
      for (const each of all) {
        const done = isRust
          ? await run(pathOf(alias), each, alias)
          : await run(process.execPath, [script, ...each], alias)
        results.add(resultOf(done))
      }
      return [...results].join(", ")
    }
    const cells = []
    for (const name of Object.keys(rustSteps)) {
      // Version 3 no longer has the command.
      const isMissing = steps[name] === null || (name === "explain" && alias === "sentry-cli-3")
      const eventId = name === "explain" && !isMissing ? [await sendError(project)] : []
      cells.push(await step(isMissing ? null : [...steps[name], ...eventId]))
    }
    rows.push([isRust ? "`sentry-cli`" : "`sentry`", versionOf(alias), ...cells])
  }
  for (const bundler of ["vite", "webpack", "esbuild", "rollup"]) {
    const name = `${bundler}-build`
    const project = await createProject(name)
    const folder = join(home, bundler)
    mkdirSync(folder)
    writeFileSync(join(folder, "cart.js"), "export function checkout() { throw new Error('x') }\n")
    writeFileSync(join(folder, "main.js"), 'import { checkout } from "./cart.js"\nsetTimeout(checkout, 10)\n')
    const built = await run(
      process.execPath,
      [join(root, "packages/cli/test/clients/apps/build.mjs"), bundler, folder, name],
      name,
    )
    const { artifact_bundles: bundles } = await rest("GET", `/projects/${project.id}/artifact_bundles`)
    const isThere = built.code === 0 && bundles.some(({ state }) => state === "ok")
    rows.push([
      `\`@sentry/${bundler}-plugin\``,
      versionOf(`@sentry/${bundler}-plugin`),
      isThere ? "yes" : "no",
      ...Array(6).fill(""),
    ])
  }
} finally {
  server.child.kill("SIGKILL")
  rmSync(home, { recursive: true, force: true })
}

const table = [
  "| Client | Version | Upload | Same upload again | Finalize a release | List projects, releases, repositories | List errors | Debug files | Explain |",
  "|---|---|---|---|---|---|---|---|---|",
  ...rows.map((cells) => `| ${cells.join(" | ")} |`),
].join("\n")
const text = readFileSync(page, "utf8")
const [begin, end] = ["<!-- matrix -->", "<!-- /matrix -->"]
const from = text.indexOf(begin)
const to = text.indexOf(end)
if (from === -1 || to === -1) throw new Error(`${page} has no ${begin} and ${end}`)
writeFileSync(page, `${text.slice(0, from + begin.length)}\n\n${table}\n\n${text.slice(to)}`)
console.log(table)

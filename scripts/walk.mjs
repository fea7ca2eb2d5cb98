// Follows docs/getting-started.md in an empty folder: writes its files, runs its commands in order, compares their
// output with the page, and prints the time of each command. The packages come from this checkout.
// Usage: node scripts/walk.mjs, after `npm run build`.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { freePort } from "../packages/storage-postgres/test/support/port.ts"
import { blocksOf, root } from "./documents.mjs"
import { packAll, publishedPackages } from "./packages.mjs"

const home = mkdtempSync(join(tmpdir(), "errata-walk-"))
const folder = mkdtempSync(join(home, "shop-"))
const tarballs = packAll(home)
const manifests = new Map(publishedPackages().map(({ manifest }) => [manifest.name, manifest]))

/** A package of this checkout and its dependencies here, which npm would get from a registry. */
const withNeeded = (name, found = new Set()) => {
  if (!manifests.has(name) || found.has(name)) return found
  found.add(name)
  for (const needed of Object.keys(manifests.get(name).dependencies ?? {})) withNeeded(needed, found)
  return found
}

const env = {
  PATH: process.env.PATH,
  HOME: home,
  XDG_CONFIG_HOME: home,
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? home, ".npm"),
  npm_config_registry:
    process.env.npm_config_registry ??
    spawnSync("npm", ["config", "get", "registry"]).stdout.toString().trim(),
  npm_config_prefer_offline: "true",
  // Certificates of a registry behind a proxy.
  npm_config_cafile: process.env.npm_config_cafile,
  NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
  NO_COLOR: "1",
}
/** Values on the page that differ between servers. */
const replacements = new Map()

const asHere = (line) => {
  let here = line
  const install = /^npm install (\S+)$/.exec(line)
  if (install !== null && manifests.has(install[1])) {
    here = `npm install ${[...withNeeded(install[1])].map((name) => tarballs[name]).join(" ")}`
  }
  for (const [there, it] of replacements) here = here.replaceAll(there, it)
  return here
}

let server = null

/** Starts the server in the background and records its startup output. */
const serve = async (line) => {
  const port = await freePort()
  env.ERRATA_PORT = String(port)
  replacements.set("127.0.0.1:4000", `127.0.0.1:${port}`)
  return new Promise((resolve, reject) => {
    server = spawn("bash", ["-c", `exec ${line}`], { cwd: folder, env, detached: true })
    let output = ""
    const read = (chunk) => {
      output += chunk
      const key = /API key[^\n]*?(errata_\w+)\s/.exec(output)?.[1]
      const dsn = /(http:\/\/[0-9a-f]{32}@\S+)\s/.exec(output)?.[1]
      if (key === undefined || dsn === undefined) return
      server.stdout.off("data", read).resume()
      server.stderr.off("data", read).resume()
      writeFileSync(join(folder, "key.txt"), key)
      replacements.set(`http://TOKEN@127.0.0.1:${port}/1`, dsn)
      resolve(output)
    }
    server.stdout.on("data", read)
    server.stderr.on("data", read)
    server.once("exit", (code) => reject(new Error(`${line} ended with ${code}:\n${output}`)))
  })
}

const runLine = async (line) => {
  if (line.endsWith("errata serve")) return serve(line)
  const { status, stderr, stdout } = spawnSync("bash", ["-c", asHere(line)], {
    cwd: folder,
    env,
    encoding: "utf8",
    timeout: 600_000,
  })
  if (status !== 0) throw new Error(`${line} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

const began = Date.now()
const told = []
try {
  let output = ""
  let last = ""
  for (const { code, language, name, line } of blocksOf(
    readFileSync(join(root, "docs/getting-started.md"), "utf8"),
  )) {
    if (language === "js") {
      writeFileSync(join(folder, name), code)
      told.push(`        ${name}`)
    } else if (language === "sh") {
      output = ""
      for (const command of code.trim().split("\n")) {
        const at = Date.now()
        output += await runLine(command)
        last = command
        told.push(`${((Date.now() - at) / 1000).toFixed(1).padStart(6)}  ${command}`)
      }
    } else if (language === "text") {
      const parts = code
        .trim()
        .split("...")
        .filter((part) => part !== "")
      const missingIn = (text) => parts.find((part) => !text.includes(part))
      // An event sent a moment ago may not be recorded yet, so the command is repeated.
      for (let asked = 0; asked < 60 && missingIn(output) !== undefined; asked++) {
        await pause(1000)
        output += await runLine(last)
      }
      const missing = missingIn(output)
      if (missing !== undefined) {
        throw new Error(`docs/getting-started.md:${line} says\n${missing}\nand this was printed:\n${output}`)
      }
    }
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  if (server !== null && server.exitCode === null) {
    server.removeAllListeners("exit")
    // npx itself exits before the server has stopped its database.
    const ended = once(server, "close")
    process.kill(-server.pid, "SIGTERM")
    await ended
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 })
}
console.log(told.join("\n"))
console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)}  in all`)

// Checks the packages as published: their manifests (publint), that types and code resolve alike (attw), and that
// modules for browsers can be bundled with all their dependencies.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { build } from "tsup"
import { packAll, publishedPackages } from "./packages.mjs"

const root = new URL("../packages/", import.meta.url).pathname
const attw = new URL("../node_modules/.bin/attw", import.meta.url).pathname
let failures = 0

// Packed once for both tools, which would each run npm for every package.
const destination = mkdtempSync(join(tmpdir(), "errata-exports-"))
const tarballs = packAll(destination)
for (const { manifest } of publishedPackages()) {
  const file = tarballs[manifest.name].slice("file:".length)
  const tarball = new Uint8Array(readFileSync(file)).buffer
  const { messages } = await publint({ strict: true, pack: { tarball } })
  for (const message of messages) console.error(`${manifest.name}: ${formatMessage(message, manifest)}`)
  failures += messages.length
  try {
    // The types of ES modules also fit `require`: the CommonJS files only re-export those modules.
    const options = ["--profile", "esm-only", "--ignore-rules", "false-esm"]
    execFileSync(attw, [file, ...options, "--no-emoji"], { stdio: ["ignore", "pipe", "pipe"] })
  } catch (error) {
    failures++
    console.error(`${manifest.name}: ${error.stdout}${error.stderr}`)
  }
}
rmSync(destination, { recursive: true })

const bundles = new URL("../node_modules/.cache/errata-browser/", import.meta.url).pathname
for (const name of [
  "core/dist/search/index",
  "api/dist/index",
  "api/dist/client/index",
  "api/dist/promise/index",
]) {
  try {
    await build({
      entry: [join(root, `${name}.js`)],
      outDir: join(bundles, name),
      config: false,
      silent: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      noExternal: [/./],
    })
  } catch (error) {
    failures++
    console.error(`${name} does not run in a browser: ${error.message}`)
  }
}

if (failures > 0) process.exit(1)
console.log("Package exports are sound.")

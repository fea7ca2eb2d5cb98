// Builds every package and prints nothing unless the build fails.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))
const turbo = fileURLToPath(new URL("../node_modules/turbo/bin/turbo", import.meta.url))

const child = spawn(process.execPath, [turbo, "run", "build", "--output-logs=errors-only"], {
  cwd: root,
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1" },
  stdio: ["ignore", "pipe", "pipe"],
})
let output = ""
child.stdout.on("data", (chunk) => (output += chunk))
child.stderr.on("data", (chunk) => (output += chunk))

// Passes signals on to the build, so that it can end in order.
let asked = null
const stopBuild = (signal) => {
  asked = signal
  child.kill(signal)
}
process.on("SIGINT", stopBuild).on("SIGTERM", stopBuild)
const [code] = await once(child, "close")
process.off("SIGINT", stopBuild).off("SIGTERM", stopBuild)

if (asked !== null) {
  process.kill(process.pid, asked)
} else if (code !== 0) {
  process.stderr.write(`${output}\nerrata: The build failed.\n`)
  process.exit(1)
}

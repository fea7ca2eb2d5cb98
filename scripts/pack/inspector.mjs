// Checks the tools of an installed server with the MCP inspector and exits with its code. It fails if some clients
// cannot use a schema.
// Usage: node inspector.mjs PATH_OF_THE_INSPECTOR
import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"
import { setTimeout as pause } from "node:timers/promises"

const [inspector] = process.argv.slice(2)

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  await once(server, "close")
  return port
}

const port = await freePort()
const url = `http://127.0.0.1:${port}`
const key = `errata_${randomBytes(24).toString("hex")}`
const server = spawn(
  process.execPath,
  ["node_modules/@errata/cli/bin/errata.js", "serve", "--storage", "memory", "--port", String(port)],
  {
    env: { ...process.env, ERRATA_ADMIN_API_KEY: key },
    stdio: ["ignore", "inherit", "inherit"],
  },
)
try {
  for (;;) {
    const up = await fetch(`${url}/up`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (up) break
    if (server.exitCode !== null) throw new Error("The server did not start")
    await pause(50)
  }
  const asked = ["--header", `Authorization: Bearer ${key}`, "--method", "tools/list", "--strict"]
  const { status, stderr } = spawnSync(process.execPath, [inspector, "--cli", `${url}/mcp`, ...asked], {
    encoding: "utf8",
    timeout: 300_000,
  })
  // Its last line counts errors and warnings.
  console.log(status === 0 ? stderr.trim().split("\n").at(-1) : stderr)
  process.exitCode = status ?? 1
} finally {
  server.kill()
  await once(server, "exit")
}

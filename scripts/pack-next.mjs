// Builds the example for Next.js from the packed packages, starts it, and sends it an error with the SDK for Node.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../packages/storage-postgres/test/support/port.ts"

const example = fileURLToPath(new URL("../examples/next/", import.meta.url))
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" }

/** `folder` is a project with the packed packages; `install` adds others to it, and `run` runs a program in it. */
export const checkNext = async ({ folder, install, packages, run }) => {
  install("npm install of Next.js", packages)
  const home = join(folder, "next")
  mkdirSync(home)
  for (const name of ["app", "lib", "instrumentation.ts", "next.config.ts"]) {
    cpSync(join(example, name), join(home, name), { recursive: true })
  }
  const library = readFileSync(join(home, "lib/errata.ts"), "utf8")
  writeFileSync(
    join(home, "lib/errata.ts"),
    `import { dashboard } from "@errata/dashboard"\n${library.replace("createErrata({", "createErrata({ dashboard,")}`,
  )
  writeFileSync(join(home, "package.json"), `{"private":true,"type":"module"}`)
  mkdirSync(join(home, "app/recorded"))
  writeFileSync(join(home, "app/recorded/route.ts"), recordedRoute)
  mkdirSync(join(home, "app/moved"))
  writeFileSync(join(home, "app/moved/route.ts"), movedRoute)
  const next = join(folder, "node_modules/next/dist/bin/next")
  run("next build", process.execPath, [next, "build"], { cwd: home, env })

  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const server = spawn(process.execPath, [next, "start", "--hostname", "127.0.0.1", "--port", String(port)], {
    cwd: home,
    env: { ...env, ERRATA_BASE_URL: `${base}/errors` },
    stdio: ["ignore", "inherit", "inherit"],
  })
  try {
    await answered(`${base}/errors/projects`)
    // In its own process, because the Sentry SDK instruments the process that loads it.
    run("an SDK and a route report to Next.js", process.execPath, ["next-sdk.mjs", `${base}/recorded`])
  } finally {
    server.kill()
    await once(server, "exit")
  }
}

// internal

/** A route of the test. It returns the DSN and the recorded messages and routes. */
const recordedRoute = `
import { errata } from "../../lib/errata"
export const dynamic = "force-dynamic"
export const GET = async () => {
  const { dsn, flush, groups, project } = await errata()
  await flush({ timeout: 60_000 })
  const list = await groups.list(project.id)
  const messages = list.groups.map((group) => group.error_message)
  const culprits = list.groups.map((group) => group.culprit).filter((culprit) => culprit.startsWith("GET"))
  return Response.json({ dsn: dsn(), messages, culprits })
}
`

const movedRoute = `
import { redirect } from "next/navigation"
import { routeHandler } from "errata/next"
import { errata } from "../../lib/errata"
export const dynamic = "force-dynamic"
export const GET = routeHandler(errata, async (_request: Request): Promise<Response> => redirect("/recorded"))
`

const answered = async (url) => {
  for (let tries = 0; tries < 3000; tries++) {
    const response = await fetch(url).catch(() => null)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer within five minutes`)
}

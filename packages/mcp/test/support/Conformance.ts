/** Runs the official conformance suite, which sends no credentials, against a server that requires them. */
import { spawn } from "node:child_process"
import { createServer, request } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Proxy {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Forwards requests with a credential and otherwise unchanged headers. */
export const startProxy = async (target: string, apiKey: string): Promise<Proxy> => {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const forwarded = request(
      {
        hostname,
        port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...incoming.headers, authorization: `Bearer ${apiKey}` },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    forwarded.on("error", () => outgoing.destroy())
    outgoing.on("close", () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export interface Outcome {
  /** 0 if everything passed except expected failures. */
  readonly code: number | null
  readonly output: string
}

/** Reacts to the output of the suite. */
export interface Reader {
  readonly waitsFor: RegExp
  /** Called once with the match. If it fails, the suite is killed. */
  readonly acts: (said: RegExpExecArray) => Promise<unknown>
}

/** Runs a command of the suite, such as `server --url ...`. Fails if the reader fails. */
export const run = (args: ReadonlyArray<string>, reader?: Reader): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--import", hooks, suite, ...args], { stdio: "pipe" })
    let output = ""
    let acted: Promise<unknown> | null = null
    const read = (text: string) => {
      output += text
      const said = acted === null ? reader?.waitsFor.exec(output) : null
      if (said === null || said === undefined) return
      acted = reader!.acts(said)
      acted.catch((error) => {
        // The suite would wait for minutes.
        child.kill()
        reject(error)
      })
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", read)
    child.once("error", reject)
    child.once("close", async (code) => {
      await acted?.catch(() => {})
      resolve({ code, output })
    })
  })

/** The expected failures, with their reasons. */
export const expectedFailures = fileURLToPath(new URL("../conformance.yaml", import.meta.url))

// internal

const suite = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
)
const hooks = fileURLToPath(new URL("ConformanceHooks.mjs", import.meta.url))

/** Checks commands in the documents that no other test runs. */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { defaultSettings } from "@errata/core"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../packages/cli/test/support/FreePort.js"
import * as ChunkRequests from "../packages/http/src/upload/ChunkRequests.js"

const root = resolve(import.meta.dirname, "..")
const text = (...path: ReadonlyArray<string>) => readFileSync(join(root, ...path), "utf8")

describe("the receiver in docs/webhooks.md", () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`
  const folder = mkdtempSync(join(tmpdir(), "errata-receiver-"))
  let receiver: ReturnType<typeof spawn>
  let url = ""
  let printed = ""

  beforeAll(async () => {
    const code = /```js \[receiver\.js\]\n([\s\S]*?)```/.exec(text("docs", "webhooks.md"))?.[1] ?? ""
    const file = join(folder, "receiver.mjs")
    writeFileSync(file, code)
    const port = await Effect.runPromise(freePort)
    url = `http://127.0.0.1:${port}`
    receiver = spawn(process.execPath, [file], {
      env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret },
      stdio: ["ignore", "pipe", "inherit"],
    })
    receiver.stdout?.on("data", (chunk) => {
      printed += chunk
    })
    const isRefused = ({ status }: Response) => status === 401
    const answers = () => fetch(url, { method: "POST", body: "{}" }).then(isRefused, () => false)
    for (let attempt = 0; !(await answers()); attempt++) {
      if (attempt === 2_400) throw new Error("The receiver does not answer")
      await pause(50)
    }
  })

  afterAll(() => {
    receiver.kill()
    rmSync(folder, { recursive: true })
  })

  const send = async (body: string, at: Date, signed = body, signedWith = secret) => {
    const id = "msg_1"
    const answer = await fetch(url, {
      method: "POST",
      body,
      headers: {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": `v1,bm90aGluZw== ${new Webhook(signedWith).sign(id, at, signed)}`,
      },
    })
    return answer.status
  }

  const body = JSON.stringify({ event: "group.created", group: { error_message: "Out of tea" } })

  it("accepts only messages signed with its secret", async () => {
    expect(await send(body, new Date())).toBe(204)
    expect(await send(body, new Date(), `${body} `)).toBe(401)
    expect(await send(body, new Date(), body, `whsec_${Buffer.alloc(24, 8).toString("base64")}`)).toBe(401)
    expect(await send(body, new Date(Date.now() - 600_000))).toBe(401)
    expect((await fetch(url, { method: "POST", body })).status).toBe(401)
    expect(printed).toBe("msg_1 group.created Out of tea\n")
  })
})

describe("the files in examples/deployment", () => {
  const folder = join(root, "examples/deployment")
  const files = readdirSync(folder).filter((name) => name !== "package.json" && name !== "test")
  const known = new Set(text("docs", "configuration.md").match(/ERRATA_[A-Z_]+|DATABASE_URL/g))

  it.each(files)("%s names only existing settings", (name) => {
    const named = text("examples/deployment", name).match(/ERRATA_[A-Z_]+|DATABASE_URL/g) ?? []
    expect(named.filter((variable) => !known.has(variable))).toEqual([])
  })

  it("let the largest uploads of build tools through nginx", () => {
    const allowed = /client_max_body_size (\d+)m;/.exec(text("examples/deployment/nginx.conf"))?.[1]
    const { maxBodyBytes } = ChunkRequests.of(defaultSettings.artifacts.chunkBytes)
    expect(Number(allowed) * 1024 * 1024).toBeGreaterThanOrEqual(maxBodyBytes)
  })

  it("are all shown in docs/deployment.md", () => {
    const shown = [
      ...text("docs", "deployment.md").matchAll(/^<<< \.\.\/examples\/deployment\/([^{\s]+)/gm),
    ].map(([, name]) => name)
    expect(shown.toSorted()).toEqual(files.toSorted())
  })
})

describe("the site", () => {
  it("has no semicolons in sequence diagrams, where they would end a line", () => {
    const drawings = [
      ...text("docs", "architecture.md").matchAll(/```mermaid\nsequenceDiagram\n([\s\S]*?)```/g),
    ]
    expect(drawings).toHaveLength(1)
    for (const [, lines = ""] of drawings) {
      expect(lines.split("\n").filter((line) => line.includes(";"))).toEqual([])
    }
  })

  it("has every page in its sidebar", () => {
    const config = text("docs/.vitepress", "config.mts")
    const pages = readdirSync(join(root, "docs"))
      .filter((name) => name.endsWith(".md") && name !== "index.md")
      .map((name) => name.replace(/\.md$/, ""))
    expect(pages.filter((page) => !config.includes(`link: "/${page}"`))).toEqual([])
  })
})

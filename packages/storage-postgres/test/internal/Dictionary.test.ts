import { expect, it } from "@effect/vitest"
import type { Project } from "@errata/core"
import { Factory } from "@errata/testing"
import * as Dictionary from "../../src/internal/Dictionary.js"

const projectId = 1 as Project["id"]

const contentOf = (...bodies: ReadonlyArray<unknown>) => {
  const content = Dictionary.contentOf(
    bodies.map((body) => ({
      ...Factory.payload(projectId),
      body:
        body instanceof Uint8Array
          ? body
          : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    })),
  )
  return content === null ? null : Buffer.from(content).toString()
}

const frames = Array.from({ length: 20 }, (_, i) => ({
  filename: `src/orders/step${i}.ts`,
  function: `step${i}`,
  lineno: i,
  context_line: "  const total = price * amount",
  vars: { card: "secret-variable", depth: { of: ["secret-deep"] } },
}))

/** Each value that is no name, code or version contains `secret`. */
const event = {
  event_id: "secret0000",
  message: "secret-message",
  transaction: "/users/secret",
  server_name: "secret-host",
  user: { id: "secret-id", email: "secret@example.com", "secret@example.com": true },
  request: { url: "https://secret/", headers: { Cookie: "secret" }, data: { password: ["secret"] } },
  tags: { customer: "secret", "a secret key": "secret" },
  extra: { frames: [{ filename: "secret" }], modules: { pg: "secret" }, sdk: "secret" },
  contexts: {
    runtime: { name: "node", version: "v24.1.0" },
    device: { name: "secret-phone", model: "Pixel 9" },
    order: { id: "secret", runtime: { name: "secret" } },
  },
  breadcrumbs: { values: [{ category: "http", message: "secret", data: { url: "secret" }, level: "info" }] },
  exception: {
    values: [
      {
        type: "TypeError",
        value: "secret",
        mechanism: { type: "onerror", data: { target: "secret" } },
        stacktrace: { frames },
      },
    ],
  },
  sdk: { name: "sentry.javascript.node", version: "10.78.0" },
}

it("has names, code and versions, and no other values", () => {
  const content = contentOf(event)!
  expect(content).not.toContain("secret")
  for (const text of [
    '"filename":"src/orders/step7.ts","function":"step7","lineno":7,"context_line":"  const total = price * amount"',
    '"runtime":{"name":"node","version":"v24.1.0"}',
    '"category":"http"',
    '"type":"TypeError","value":""',
    '"customer":""',
    '"sdk":{"name":"sentry.javascript.node","version":"10.78.0"}',
  ]) {
    expect(content).toContain(text)
  }
})

it("has what several payloads share once", () => {
  const other = {
    ...event,
    exception: { values: [{ stacktrace: { frames: [...frames, { function: "onlyHere" }] } }] },
  }
  const content = contentOf(event, other)!
  expect(content.match(/"function":"step7"/g)).toHaveLength(1)
  expect(content).toContain("onlyHere")
})

it("reads the lines of envelopes, and leaves out attachments and what is not JSON", () => {
  const lines = [
    '{"event_id":"x"}',
    '{"type":"event"}',
    JSON.stringify(event),
    '{"type":"attachment"}',
    "{secret",
    "secret",
  ]
  expect(contentOf(lines.join("\n"))).not.toContain("secret0000")
  expect(contentOf(lines.join("\n"))).toContain("step7")
  expect(contentOf(lines.join("\n"))).not.toContain("{secret")
  expect(contentOf(new Uint8Array(3000).fill(0xff), "[".repeat(3000), "{".repeat(3000))).toBeNull()
})

it("is bounded, however large or deep the payloads are", () => {
  const modules = (seed: number) => ({
    modules: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`package-${seed}-${i}`, "1.0.0"])),
  })
  expect(contentOf(...Array.from({ length: 10 }, (_, i) => modules(i)))).toHaveLength(32 * 1024)
  const deep = `${'{"a":'.repeat(20_000)}"x"${"}".repeat(20_000)}`
  expect(contentOf(deep, event)).toContain("step7")
  expect(contentOf(deep, event)!.length).toBeLessThan(contentOf(event)!.length + 200)
})

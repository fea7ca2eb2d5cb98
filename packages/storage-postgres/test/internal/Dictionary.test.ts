import { expect, it } from "@effect/vitest"
import type { ProjectId } from "@errata/core"
import { Factory } from "@errata/testing"
import * as Dictionary from "../../src/internal/Dictionary.js"

const projectId = 1 as ProjectId

const contentOf = (...bodies: ReadonlyArray<unknown>) => textOf("event", bodies)

const textOf = (kind: string, bodies: ReadonlyArray<unknown>) => {
  const content = Dictionary.contentOf(
    bodies.map((body) => ({
      ...Factory.payload(projectId),
      kind,
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

const pages = [
  { filename: "https://shop.example/reset?token=secret&email=secret@example.com", function: "onclick" },
  {
    filename: "https://shop.example/users/secret",
    context_line: '<input value="secret">',
    pre_context: ["secret"],
  },
  {
    abs_path: "https://shop.example/app.js#access_token=secret",
    filename: "https://shop.example/app.js?secret",
  },
  { filename: "C:\\Users\\secret\\shop\\Cart.cs", abs_path: "/home/secret/shop/cart.py" },
  { filename: "secret page.html", context_line: "secret" },
  { filename: { of: "secret" }, function: ["secret"], lineno: { secret: 1 }, secret: "secret" },
]

/** Each value that is no name, code or version contains `secret`, and each key that the application chose. */
const event = {
  event_id: "secret0000",
  message: "secret-message",
  transaction: "/users/secret",
  server_name: "secret-host",
  user: { id: "secret-id", email: "secret@example.com", "secret@example.com": true },
  request: {
    url: "https://secret/",
    headers: { Cookie: "secret", "X-Secret-secret": "secret" },
    data: { password: ["secret"] },
  },
  tags: { secret_customer: "secret", list: ["secret"] },
  extra: { secret: true, frames: [{ filename: "secret.js" }], modules: { pg: "secret" }, sdk: "secret" },
  environment: { user: "secret" },
  logger: "secret words of a person",
  contexts: {
    runtime: { name: "node", version: "v24.1.0", secret: "secret" },
    os: { name: "macOS", kernel_version: "Darwin secret.local 23.1.0" },
    device: { name: "secret-phone", model: "Pixel 9" },
    secret: { id: "secret", runtime: { name: "secret" } },
  },
  breadcrumbs: { values: [{ category: "http", message: "secret", data: { url: "secret" }, level: "info" }] },
  exception: {
    values: [
      {
        type: "TypeError",
        value: "secret",
        mechanism: { type: "onerror", data: { target: "secret" } },
        stacktrace: { frames: [...pages, ...frames] },
      },
      { type: "secret message as a type" },
      { type: "secret@example.com" },
    ],
  },
  modules: { express: "5.1.0", "secret words": "secret words", list: ["secret"] },
  sdk: { name: "sentry.javascript.node", version: "10.78.0", settings: { secret: "secret" } },
}

it("contains names, code and versions, and no other values", () => {
  const content = contentOf(event)!
  expect(content).not.toContain("secret")
  for (const text of [
    '"filename":"src/orders/step7.ts","function":"step7","lineno":7,"context_line":"  const total = price * amount"',
    '"abs_path":"https://shop.example/app.js"',
    String.raw`"filename":"C:\\Users\\\\shop\\Cart.cs","abs_path":"/home//shop/cart.py"`,
    '"runtime":{"name":"node","version":"v24.1.0"}',
    '"category":"http"',
    '"type":"TypeError","value":""',
    '"express":"5.1.0"',
    '"sdk":{"name":"sentry.javascript.node","version":"10.78.0"}',
  ]) {
    expect(content).toContain(text)
  }
})

it("is the same for values that it does not contain", () => {
  const flags = (value: boolean) => ({
    ...event,
    extra: { positive: value },
    contexts: { app: { in_foreground: value } },
  })
  expect(contentOf(flags(true))).toBe(contentOf(flags(false)))
})

it("contains shared parts of several payloads once", () => {
  const other = {
    ...event,
    exception: { values: [{ stacktrace: { frames: [...frames, { function: "onlyHere" }] } }] },
  }
  const content = contentOf(event, other)!
  expect(content.match(/"function":"step7"/g)).toHaveLength(1)
  expect(content).toContain("onlyHere")
})

it("reads the event of an envelope, and omits attachments and other items", () => {
  const header = { event_id: "secret", dsn: "https://secret@errata.example/1", sdk: event.sdk }
  const file = {
    platform: "secret",
    environment: "secret",
    modules: { secret: "1" },
    exception: event.exception,
  }
  const lines = (...parts: ReadonlyArray<unknown>) => parts.map((part) => JSON.stringify(part)).join("\n")
  const content = textOf("envelope", [
    lines(
      header,
      { type: "attachment", length: 10 },
      file,
      { type: "event", length: 100 },
      event,
      { type: "attachment" },
      file,
    ),
  ])!
  expect(content).not.toContain("secret")
  expect(content).toContain("step7")
  expect(textOf("envelope", [lines(header, { type: "attachment" }, file)])).toBeNull()
  expect(contentOf(new Uint8Array(3000).fill(0xff), "[".repeat(3000), "{\n".repeat(30_000))).toBeNull()
})

it("is bounded for large and deep payloads", () => {
  const modules = (seed: number) => ({
    modules: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`package-${seed}-${i}`, "1.0.0"])),
  })
  expect(contentOf(...Array.from({ length: 10 }, (_, i) => modules(i)))).toHaveLength(32 * 1024)
  const deep = `{"exception":${"[".repeat(20_000)}${"]".repeat(20_000)}}`
  expect(contentOf(deep, event)).toContain("step7")
  expect(contentOf(deep, event)!.length).toBeLessThan(contentOf(event)!.length + 200)
})

/** A dashboard of a few bytes: tests of the server need no build of the real one. */
import { brotliCompressSync, gzipSync } from "node:zlib"
import type { Dashboard } from "../../src/index.js"

const script = Buffer.from(`export const text = "${"a ".repeat(500)}"`)

export const standIn: Dashboard = {
  assets: new Map([
    [
      "app-1a2b.js",
      {
        type: "text/javascript; charset=utf-8",
        body: script,
        br: brotliCompressSync(script),
        gz: gzipSync(script),
      },
    ],
    ["icon-3c4d.svg", { type: "image/svg+xml", body: Buffer.from("<svg/>"), br: null, gz: null }],
  ]),
  shell: (depth, serviceName) => {
    const root = "../".repeat(depth) || "./"
    return `<!doctype html><html data-root="${root}" data-service="${serviceName}"><script type="module" src="${root}assets/app-1a2b.js"></script></html>`
  },
}

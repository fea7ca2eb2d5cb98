/** A jsdom window with the browser SDK. Its requests are jsdom's own and follow CORS, as in a browser. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, type Scope } from "effect"
import { JSDOM, VirtualConsole } from "jsdom"
import { build } from "tsup"

interface Sent {
  readonly event_id: string
  /** Undefined without a response that the page may read. */
  readonly status?: number
}

export interface Page {
  readonly act: (action: "caught" | "uncaught") => void
  readonly sent: () => ReadonlyArray<Sent>
}

export const origin = "http://shop.example"
export const url = `${origin}/cart?from=mail`
export const scriptUrl = `${origin}/assets/page.js`

/** Builds the page's script, including the SDK. */
export const script: Effect.Effect<string> = Effect.promise(async () => {
  const outDir = join(import.meta.dirname, "../../../../../node_modules/.cache/errata-test-browser")
  await build({
    entry: { page: fileURLToPath(new URL("../apps/browser.mjs", import.meta.url)) },
    outDir,
    config: false,
    silent: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    noExternal: [/./],
    outExtension: () => ({ js: ".js" }),
  })
  return readFileSync(join(outDir, "page.js"), "utf8")
})

/** Opens a page with that script until the scope closes. */
export const open = (source: string, dsn: string): Effect.Effect<Page, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const { window } = new JSDOM("<!doctype html><title>Cart</title><button id=add>Add</button>", {
          url,
          runScripts: "outside-only",
          // Without listeners: the page's console does not belong in the tests' output.
          virtualConsole: new VirtualConsole(),
        })
        window.dsn = dsn
        window.eval(`${source}\n//# sourceURL=${scriptUrl}`)
        return window
      }),
      (window) => Effect.sync(() => window.close()),
    ),
    (window) => ({
      act: (action) => window.actions[action](),
      sent: () => [...window.sent],
    }),
  )

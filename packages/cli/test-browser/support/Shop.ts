/** A page whose button throws an error, built by two bundlers from the same sources, with or without their plugins. */
import { mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdir, readFile, rm } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sentryEsbuildPlugin } from "@sentry/esbuild-plugin"
import { sentryVitePlugin } from "@sentry/vite-plugin"
import { build as withEsbuild } from "esbuild"
import { build as withVite } from "vite"

const sources = {
  "cart.ts": `interface Item { readonly name: string; readonly price: number | null }

export class Cart {
  private readonly items: Array<Item> = []

  add(item: Item): void {
    this.items.push(item)
  }

  checkout(): number {
    let total = 0
    for (const item of this.items) {
      if (item.price === null) throw new Error("No price for " + item.name) // fails
      total += item.price
    }
    return total
  }
}
`,
  "main.ts": `import * as Sentry from "@sentry/browser"
import { Cart } from "./cart"

const { dsn, release } = document.body.dataset
Sentry.init({ dsn, release })

const order = (): void => {
  const cart = new Cart()
  cart.add({ name: location.search, price: 1 })
  cart.add({ name: "tea", price: null })
  document.title = String(cart.checkout())
}

document.querySelector("button")?.addEventListener("click", () => order())
`,
}

/** A build: the page's folder, its script and its map. */
export interface Built {
  readonly folder: "first" | "second"
  readonly script: Uint8Array
  readonly map: Uint8Array
}

/** The upload target of the bundlers' plugins. */
export interface Tracker {
  readonly url: string
  readonly apiKey: string
  readonly project: number
}

export interface Shop {
  readonly url: string
  readonly builds: ReadonlyArray<Built>
  /** Sets the DSN. Call it before pages are opened. */
  readonly reportTo: (dsn: string) => void
  readonly close: () => Promise<void>
}

/** Number of the first line of a source that contains the text. */
export const lineOf = (source: keyof typeof sources, text: string): number =>
  sources[source].split("\n").findIndex((line) => line.includes(text)) + 1

/** Builds the pages and serves them. With a tracker, builds upload by debug id and pages have no release. */
export const open = async (tracker: Tracker | null = null): Promise<Shop> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "errata-shop-")))
  symlinkSync(new URL("../../../../node_modules", import.meta.url).pathname, join(folder, "node_modules"))
  await mkdir(join(folder, "src"))
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, "src", name), text)

  // The plugins cache the first tracker URL in the user's settings.
  process.env["SENTRY_CONFIG_DIR"] = folder
  await withVite({
    root: folder,
    configFile: false,
    logLevel: "error",
    plugins: tracker === null ? [] : [sentryVitePlugin(pluginOptions(tracker))],
    build: {
      outDir: "second",
      sourcemap: true,
      lib: { entry: "src/main.ts", formats: ["es"], fileName: () => "app.js" },
      minify: true,
    },
  })
  await withEsbuild({
    absWorkingDir: folder,
    entryPoints: ["src/main.ts"],
    outfile: "first/app.js",
    bundle: true,
    minify: true,
    sourcemap: true,
    plugins:
      tracker === null
        ? []
        : [
            // Otherwise it searches the working directory of the tests.
            sentryEsbuildPlugin({ ...pluginOptions(tracker), sourcemaps: { assets: `${folder}/first/**` } }),
          ],
  })
  const built = (name: Built["folder"]): Promise<Built> =>
    Promise.all([readFile(join(folder, name, "app.js")), readFile(join(folder, name, "app.js.map"))]).then(
      ([script, map]) => ({ folder: name, script, map }),
    )
  const builds = [await built("first"), await built("second")]
  let dsn = ""
  const server: Server = createServer((request, response) => {
    const found = builds.find(({ folder }) => request.url?.startsWith(`/${folder}/`))
    if (found === undefined) return response.writeHead(404).end()
    if (request.url?.includes("app.js") === true) {
      return response.writeHead(200, { "content-type": "text/javascript" }).end(found.script)
    }
    response
      .writeHead(200, { "content-type": "text/html; charset=utf-8" })
      .end(
        `<!doctype html><title>Shop</title><body data-dsn="${dsn}"${tracker === null ? ` data-release="shop@${found.folder}"` : ""}>` +
          `<button>Order</button><script type="module" src="/${found.folder}/app.js?v=1"></script>`,
      )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    builds,
    reportTo: (text) => {
      dsn = text
    },
    close: async () => {
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

// internal

const pluginOptions = ({ apiKey, project, url }: Tracker) => ({
  url,
  authToken: apiKey,
  org: "errata",
  project: String(project),
  telemetry: false,
  release: { create: false, finalize: false, inject: false },
})

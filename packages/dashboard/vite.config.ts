import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { defineConfig, type Plugin } from "vite"

/** Writes each asset also as `.br` and `.gz`, so that the server compresses nothing. */
const compressed: Plugin = {
  name: "compressed",
  apply: "build",
  writeBundle: ({ dir = "" }) => {
    const assets = join(dir, "assets")
    for (const name of readdirSync(assets)) {
      if (!/\.(js|css|svg)$/.test(name)) continue
      const body = readFileSync(join(assets, name))
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(body, { params }))
      writeFileSync(join(assets, `${name}.gz`), gzipSync(body, { level: 9 }))
    }
  },
}

/** Bytes over the wire: of the first page, and of all of them. */
const budgets = { first: 80_000, all: 150_000 }

/** Fails a build that has become too large. */
const bounded: Plugin = {
  name: "bounded",
  apply: "build",
  writeBundle: (_, bundle) => {
    const first = new Set<string>()
    const follow = (name: string) => {
      const chunk = bundle[name]
      if (chunk?.type !== "chunk" || first.has(name)) return
      for (const needed of [name, ...(chunk.viteMetadata?.importedCss ?? [])]) first.add(needed)
      chunk.imports.forEach(follow)
    }
    for (const chunk of Object.values(bundle))
      if (chunk.type === "chunk" && chunk.isEntry) follow(chunk.fileName)
    const sizes = Object.entries(bundle).flatMap(([name, file]) => {
      const body = file.type === "chunk" ? file.code : file.source
      // Browsers do not load the manifest and the licenses.
      return /\.(?:css|js|svg)$/.test(name)
        ? [{ isFirst: first.has(name), size: gzipSync(body, { level: 9 }).length }]
        : []
    })
    const sum = (parts: typeof sizes) => parts.reduce((total, { size }) => total + size, 0)
    const found = { first: sum(sizes.filter(({ isFirst }) => isFirst)), all: sum(sizes) }
    for (const name of ["first", "all"] as const) {
      if (found[name] > budgets[name])
        throw new Error(`${name}: ${found[name]} bytes exceed ${budgets[name]}.`)
    }
  },
}

const server = process.env["ERRATA_URL"] ?? "http://127.0.0.1:4000"

export default defineConfig(({ command }) => ({
  // Names of chunks are relative to their own URL: the files work under every mount.
  base: "./",
  plugins: [compressed, bounded],
  resolve: { conditions: ["@errata/source", "module", "browser"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  define: {
    // Develops without a session. Never in a build.
    "import.meta.env.ERRATA_API_KEY":
      command === "serve" ? JSON.stringify(process.env["ERRATA_API_KEY"]) : "undefined",
  },
  build: {
    outDir: "dist",
    emptyOutDir: false,
    manifest: "manifest.json",
    license: { fileName: "licenses.md" },
    // Two versions back of the browsers, and Firefox ESR.
    target: ["chrome140", "firefox140", "safari18"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { start: "src/start.ts", app: "src/main.tsx" },
      // All that the first page needs is one script and one style sheet, instead of four of each, besides the small
      // script that requests its data.
      output: {
        codeSplitting: {
          groups: [
            { name: "start", test: /\/(?:start|data\/(?:ahead|listFilter|root|session))\.ts$/, priority: 1 },
            { name: "first", tags: ["$initial"] },
          ],
        },
      },
    },
  },
  server: {
    port: 4100,
    proxy: Object.fromEntries(
      ["/api", "/session", "/sign_in", "/sign_out", "/forgot_password", "/account"].map((path) => [
        path,
        server,
      ]),
    ),
  },
}))

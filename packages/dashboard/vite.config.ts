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

const server = process.env["ERRATA_URL"] ?? "http://127.0.0.1:4000"

export default defineConfig(({ command }) => ({
  // Names of chunks are relative to their own URL: the files work under every mount.
  base: "./",
  plugins: [compressed],
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
    // Two versions back of the browsers, and Firefox ESR.
    target: ["chrome140", "firefox140", "safari18"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { input: { app: "src/main.tsx" } },
  },
  server: {
    port: 4100,
    proxy: Object.fromEntries(
      ["/api", "/session", "/sign_in", "/sign_out", "/account"].map((path) => [path, server]),
    ),
  },
}))

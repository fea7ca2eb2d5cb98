// Bundles the application with the bundler that the first argument names.
import { isBuiltin } from "node:module"
import { fileURLToPath } from "node:url"

const entry = fileURLToPath(new URL("app.mjs", import.meta.url))
const out = (name) => fileURLToPath(new URL(`out/${name}`, import.meta.url))

const esbuild = async (options) => {
  const { build } = await import("esbuild")
  await build({ entryPoints: [entry], bundle: true, platform: "node", logLevel: "warning", ...options })
}

const bundlers = {
  "esbuild-cjs": () => esbuild({ format: "cjs", outfile: out("esbuild-cjs/app.cjs") }),
  "esbuild-esm": () =>
    esbuild({
      format: "esm",
      outfile: out("esbuild-esm/app.mjs"),
      // For packages in CommonJS. docs/embedding.md has this line.
      banner: {
        js: `import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url)`,
      },
    }),
  rollup: async () => {
    const [{ rollup }, { default: resolve }, { default: commonjs }, { default: json }] = await Promise.all([
      import("rollup"),
      import("@rollup/plugin-node-resolve"),
      import("@rollup/plugin-commonjs"),
      import("@rollup/plugin-json"),
    ])
    const bundle = await rollup({
      input: entry,
      external: (id) => isBuiltin(id) || id === "pg-native",
      plugins: [resolve({ exportConditions: ["node"] }), commonjs(), json()],
      onwarn: () => {},
    })
    await bundle.write({
      dir: out("rollup"),
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
    })
  },
  webpack: async () => {
    const { default: webpack } = await import("webpack")
    const output = { path: out("webpack"), filename: "app.cjs" }
    const optimization = { minimize: false }
    await new Promise((resolve, reject) => {
      webpack({ mode: "production", target: "node22", entry, output, optimization }, (error, stats) => {
        if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString("errors-only")))
        else resolve()
      })
    })
  },
}

await bundlers[process.argv[2]]()

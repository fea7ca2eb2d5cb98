// Builds a small page with a bundler and the plugin that uploads its source maps: `build.mjs BUNDLER FOLDER PROJECT...`.
// Each bundler loads itself only.
import { join } from "node:path"

const [bundler, folder, ...projects] = process.argv.slice(2)
const entry = join(folder, "main.js")
const out = join(folder, bundler)
const version = `${bundler}@1.0.0+5`

const options = {
  url: process.env.SENTRY_URL,
  authToken: process.env.SENTRY_AUTH_TOKEN,
  org: "errata",
  project: projects.length === 1 ? projects[0] : projects,
  telemetry: false,
  release: { name: version, dist: "77", setCommits: false, deploy: { env: "production" } },
}

const builds = {
  vite: async () => {
    const { build } = await import("vite")
    const { sentryVitePlugin } = await import("@sentry/vite-plugin")
    await build({
      root: folder,
      logLevel: "warn",
      build: {
        outDir: out,
        sourcemap: true,
        rollupOptions: { input: entry, output: { entryFileNames: "app.js" } },
      },
      plugins: [sentryVitePlugin(options)],
    })
  },
  webpack: async () => {
    const { default: webpack } = await import("webpack")
    const { sentryWebpackPlugin } = await import("@sentry/webpack-plugin")
    await new Promise((resolve, reject) => {
      webpack(
        {
          mode: "production",
          context: folder,
          entry,
          devtool: "source-map",
          output: { path: out, filename: "app.js" },
          plugins: [sentryWebpackPlugin(options)],
        },
        (error, stats) =>
          error || stats.hasErrors() ? reject(error ?? new Error(stats.toString())) : resolve(undefined),
      )
    })
  },
  esbuild: async () => {
    const { build } = await import("esbuild")
    const { sentryEsbuildPlugin } = await import("@sentry/esbuild-plugin")
    await build({
      entryPoints: [entry],
      bundle: true,
      minify: true,
      sourcemap: true,
      outfile: join(out, "app.js"),
      logLevel: "warning",
      plugins: [sentryEsbuildPlugin(options)],
    })
  },
  rollup: async () => {
    const { rollup } = await import("rollup")
    const { sentryRollupPlugin } = await import("@sentry/rollup-plugin")
    const bundle = await rollup({ input: entry, plugins: [sentryRollupPlugin(options)] })
    await bundle.write({ file: join(out, "app.js"), format: "iife", sourcemap: true })
    await bundle.close()
  },
}

await builds[bundler]()

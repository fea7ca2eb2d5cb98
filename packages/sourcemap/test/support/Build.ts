/** Builds a small program with real tools and runs it for its stack. */
import { runInNewContext } from "node:vm"
import type { Frame } from "@errata/core/ports"
import * as esbuild from "esbuild"
import { rollup } from "rollup"
import { type MinifyOptions, minify } from "terser"

export const program: Readonly<Record<string, string>> = {
  "src/main.ts": `import { Cart } from "./cart"

// Lines that only the original has.
interface Page { readonly name: string }

const open = (page: Page): number => {
  const cart = new Cart([page.name])
  return cart.checkout()
}

open({ name: "checkout" })
`,
  "src/cart.ts": `import { explode } from "../node_modules/boom/index.js"

export class Cart {
  constructor(private readonly items: ReadonlyArray<string>) {}

  checkout(): number {
    return this.items.map((item) => this.price(item)).length
  }

  private price(item: string): number {
    if (item === "") return 0
    return explode(item) // the line that fails
  }
}
`,
  "node_modules/boom/index.js": `export function explode(item) {
  console.log("before")
  throw new Error("No price for " + item)
}
`,
}

export interface Build {
  readonly code: string
  readonly map: string
}

export const scriptUrl = "https://shop.example/assets/app.js"

export const withEsbuild = async (options: esbuild.BuildOptions = {}): Promise<Build> => {
  const { outputFiles } = await esbuild.build({
    entryPoints: ["src/main.ts"],
    bundle: true,
    minify: true,
    sourcemap: "external",
    outfile: "/assets/app.js",
    absWorkingDir: "/",
    write: false,
    plugins: [
      {
        name: "program",
        setup(build) {
          build.onResolve({ filter: /.*/ }, ({ importer, path }) => ({ path: at(path, importer) }))
          build.onLoad({ filter: /.*/ }, ({ path }) => ({
            contents: program[path.slice(1)]!,
            loader: path.endsWith(".ts") ? "ts" : "js",
          }))
        },
      },
    ],
    ...options,
  })
  const textOf = (end: string) => outputFiles!.find(({ path }) => path.endsWith(end))?.text ?? ""
  return { code: textOf("app.js"), map: textOf("app.js.map") }
}

/** Bundles with Rollup and minifies with Terser. */
export const withRollup = async (options: MinifyOptions = {}): Promise<Build> => {
  const bundle = await rollup({
    input: "src/main.ts",
    plugins: [
      {
        name: "program",
        resolveId: (path, importer) => at(path, importer ?? ""),
        load: (path) => program[path.slice(1)]!,
        transform: async (code, path) => {
          const built = await esbuild.transform(code, { loader: "ts", sourcemap: true, sourcefile: path })
          return { code: built.code, map: built.map }
        },
      },
    ],
  })
  const { output } = await bundle.generate({ format: "iife", sourcemap: true, file: "/assets/app.js" })
  const minified = await minify(
    { "app.js": output[0].code },
    {
      compress: { passes: 2 },
      mangle: { toplevel: true },
      sourceMap: { content: output[0].map!.toString() },
      ...options,
    },
  )
  return { code: minified.code!, map: String(minified.map) }
}

/** Runs the failing program. Returns its frames as a browser SDK sends them, outermost first. */
export const framesOf = (code: string): ReadonlyArray<Frame> => {
  // The test runner's hook shifts the columns of first lines.
  const { prepareStackTrace } = Error
  delete (Error as { prepareStackTrace?: unknown }).prepareStackTrace
  try {
    runInNewContext(code, { console: { log: () => {} } }, { filename: scriptUrl })
  } catch (error) {
    const lines = String((error as Error).stack).split("\n")
    const frames = lines.flatMap((line): ReadonlyArray<Frame> => {
      const [, name = "?", filename, lineno, colno] =
        /^ +at (?:(.*) \()?(https:.*?):(\d+):(\d+)\)?$/.exec(line) ?? []
      if (filename !== undefined) {
        return [{ function: name, filename, lineno: Number(lineno), colno: Number(colno), in_app: true }]
      }
      return /<anonymous>\)$/.test(line) ? [{ function: "Array.map", filename: "<anonymous>" }] : []
    })
    return frames.reverse()
  } finally {
    if (prepareStackTrace !== undefined) Error.prepareStackTrace = prepareStackTrace
  }
  return []
}

// internal

const at = (path: string, importer: string): string => {
  const found = new URL(path, `file://${importer === "" ? "/" : importer}`).pathname
  return program[found.slice(1)] === undefined ? `${found}.ts` : found
}

/** The Promise client does not load Effect. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "tsup"
import { expect, it } from "vitest"

const source = fileURLToPath(new URL("../../src/", import.meta.url))

/** Imports at run time, without types. */
const imports = (file: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(file, "utf8").matchAll(
      /^(?:import|export) (?!type\b)(?:[^"'`;]*? from )?"([^"]+)"|\bimport\("([^"]+)"\)/gm,
    ),
    (match) => match[1] ?? match[2] ?? "",
  )

const reached = (
  entry: string,
): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } => {
  const files = new Set([entry])
  const packages = new Set<string>()
  for (const file of files) {
    for (const specifier of imports(file)) {
      if (specifier.startsWith(".")) files.add(join(dirname(file), specifier.replace(/\.js$/, ".ts")))
      else packages.add(specifier)
    }
  }
  return { files, packages }
}

it("the Promise client loads no package", () => {
  const { files, packages } = reached(join(source, "promise/index.ts"))
  expect(files.size).toBeGreaterThan(10)
  expect([...packages]).toEqual([])
})

it("the check finds that the Effect client loads Effect", () => {
  expect([...reached(join(source, "client/index.ts")).packages]).toContain("effect")
})

it("the Promise client has less than 8 KB for a browser, compressed", async () => {
  const outDir = mkdtempSync(join(tmpdir(), "errata-client-"))
  try {
    await build({
      entry: [join(source, "promise/index.ts")],
      outDir,
      config: false,
      format: "esm",
      platform: "browser",
      minify: true,
      silent: true,
    })
    expect(gzipSync(readFileSync(join(outDir, "index.js"))).length).toBeLessThan(8_000)
  } finally {
    rmSync(outDir, { recursive: true })
  }
})

/** Checks the packages to publish: code and types, a README with an example, and the license. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"

const root = resolve(import.meta.dirname, "..")
const names = readdirSync(join(root, "packages"))

interface Manifest {
  readonly name: string
  readonly description: string
  readonly license: string
  readonly keywords: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  readonly scripts: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const text = (...path: ReadonlyArray<string>) => readFileSync(join(root, ...path), "utf8")
const manifestOf = (name: string) => JSON.parse(text("packages", name, "package.json")) as Manifest

/**
 * Files that `npm pack` would include in each package, besides code and types, which `prepack` adds. It reads a copy, because
 * the test of `npm start` may build the packages at the same time.
 */
const packed = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const folder = mkdtempSync(join(tmpdir(), "errata-packages-"))
  try {
    for (const name of names) {
      cpSync(join(root, "packages", name), join(folder, name), { recursive: true, filter: isSource })
    }
    const folders = names.map((name) => `./${name}`)
    const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", ...folders], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    })
    const answer = JSON.parse(output) as Readonly<Record<string, Packed>> | ReadonlyArray<Packed>
    return new Map(Object.values(answer).map(({ files, name }) => [name, files.map(({ path }) => path)]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const isSource = (path: string): boolean => !/\/packages\/[^/]+\/(dist|node_modules|test)$/.test(path)

interface Packed {
  readonly name: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

describe("every package", () => {
  const contents = packed()

  it.each(names)("%s packs what a reader and a type checker need", (name) => {
    const manifest = manifestOf(name)
    expect(contents.get(manifest.name)).toEqual(
      expect.arrayContaining(["LICENSE", "README.md", "package.json", "src/index.ts"]),
    )
    expect(text("packages", name, "LICENSE")).toBe(text("LICENSE"))
    expect(manifest).toMatchObject({
      license: "MIT",
      files: expect.arrayContaining(["dist", "src"]),
      description: expect.stringMatching(/.{20}/),
      keywords: expect.arrayContaining(["errata", "error-tracking"]),
    })
    // Builds the code and then the types.
    expect(manifest.scripts.prepack).toContain("turbo run types")
    for (const entry of Object.values(manifest.exports)) {
      expect(entry.types).toMatch(/^\.\/dist\/.*\.d\.ts$/)
      expect(entry.default).toMatch(/^\.\/dist\/.*\.js$/)
    }
  })

  it.each(names)("%s has a README with an example", (name) => {
    const readme = text("packages", name, "README.md")
    expect(readme).toContain(`# ${manifestOf(name).name}\n`)
    // `scripts/check-documents.mjs` compiles the TypeScript examples against the built packages.
    expect(readme).toMatch(/```(ts|sh)\n[^`]{100,}/)
  })
})

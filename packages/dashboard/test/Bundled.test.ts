/** A bundle does not contain the files of the dashboard. It takes them from the installed package. */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build } from "tsup"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const run = promisify(execFile)

/** An installed package with one script. */
const install = async (folder: string) => {
  const dist = join(folder, "node_modules/@errata/dashboard/dist")
  await mkdir(join(dist, "assets"), { recursive: true })
  const manifest = { "src/main.tsx": { file: "assets/app.js" }, "src/start.ts": { file: "assets/start.js" } }
  const files = {
    "../package.json": { name: "@errata/dashboard", exports: "./dist/index.js" },
    "manifest.json": { ...manifest, "src/icon.svg": { file: "assets/icon.svg" } },
  }
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(dist, name), JSON.stringify(content))
  }
  await writeFile(join(dist, "index.js"), "")
  await writeFile(join(dist, "assets/app.js"), "export {}")
}

describe("the dashboard in a bundle", () => {
  let folder = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "errata-bundle-"))
    const entry = join(folder, "app.ts")
    const index = fileURLToPath(new URL("../src/index.ts", import.meta.url))
    await writeFile(
      entry,
      `import { dashboard } from ${JSON.stringify(index)}
      console.log(...dashboard.assets.keys())`,
    )
    const common = { entry: { app: entry }, config: false, silent: true, platform: "node" } as const
    for (const format of ["cjs", "esm"] as const) {
      for (const place of ["with", "without"]) {
        const extension = format === "cjs" ? ".cjs" : ".mjs"
        await build({
          ...common,
          format,
          outDir: join(folder, place),
          clean: false,
          outExtension: () => ({ js: extension }),
        })
      }
    }
    await install(join(folder, "with"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(["app.cjs", "app.mjs"])("%s reads the installed files", async (program) => {
    const { stdout } = await run(process.execPath, [join(folder, "with", program)], { cwd: folder })
    expect(stdout).toBe("app.js\n")
  })

  it.each(["app.cjs", "app.mjs"])("%s fails with a message if the package is missing", async (program) => {
    await expect(
      run(process.execPath, [join(folder, "without", program)], { cwd: folder }),
    ).rejects.toMatchObject({
      stderr: expect.stringContaining("Install @errata/dashboard next to the program"),
    })
  })
})

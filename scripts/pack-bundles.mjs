// Bundles an application with each bundler, from the packed packages, and runs the bundles. Other runtimes need none.
import { cpSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const samples = fileURLToPath(new URL("pack-bundles/", import.meta.url))

const bundles = {
  "esbuild-cjs": "app.cjs",
  "esbuild-esm": "app.mjs",
  rollup: "app.mjs",
  webpack: "app.cjs",
}

/** `folder` is a project with the packed packages; `install` adds others to it, and `run` runs a program in it. */
export const checkBundles = ({ folder, install, packages, run }) => {
  install("npm install of bundlers", packages)
  const home = join(folder, "bundles")
  cpSync(samples, home, { recursive: true })
  for (const [bundler, file] of Object.entries(bundles)) {
    run(`${bundler} bundles it`, process.execPath, [join(home, "build.mjs"), bundler])
    const bundle = join(home, "out", bundler, file)
    run(`${bundler}, in memory`, process.execPath, [bundle])
    run(`${bundler}, with the embedded database`, process.execPath, [bundle, join(home, `${bundler}-data`)])
  }
}

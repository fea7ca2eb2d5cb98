// Installs `errata` alone, from the packed packages, and runs tests and programs with it: Jest, vitest, node:test, Bun and Deno.
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { publishedPackages } from "./packages.mjs"

const samples = fileURLToPath(new URL("pack-runners/", import.meta.url))
const application = fileURLToPath(new URL("pack-bundles/", import.meta.url))

/** `tarballs` maps names to packages, `kept` returns a file of a package for this system, and `run` runs a program. */
export const checkRunners = ({ folder, kept, nodes, run, tarballs, versions, vitest }) => {
  // Outside the folder of the other checks, whose packages Node would find too.
  const home = `${folder}-alone`
  mkdirSync(home)
  const dependencies = Object.fromEntries(neededBy("errata").map((name) => [name, tarballs[name]]))
  writeFileSync(join(home, "package.json"), JSON.stringify({ private: true, dependencies }, null, 2))
  cpSync(samples, home, { recursive: true })
  cpSync(join(application, "alone.mjs"), join(home, "app.mjs"))
  cpSync(join(application, "reporting.mjs"), join(home, "reporting.mjs"))
  const install = (label, ...args) =>
    run(label, "npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...args], { cwd: home })
  install("npm install errata", "--strict-peer-deps")
  run("npm install errata leaves out what nobody asked for", process.execPath, ["unasked.mjs"], { cwd: home })
  install("npm install of runners", "--no-save", `jest@${versions.jest}`, `vitest@${vitest}`)
  for (const [version, node] of nodes) {
    run(`Node ${version}: Jest`, node, ["node_modules/jest/bin/jest.js", "jest.test"], { cwd: home })
    run(`Node ${version}: node:test`, node, ["--test", "node.test.mjs"], { cwd: home })
  }
  run("Node, @errata/effect", process.execPath, ["effect.mjs"], { cwd: home })
  const vitestArgs = ["run", "vitest.test", "--testTimeout=60000"]
  run("vitest", process.execPath, ["node_modules/vitest/vitest.mjs", ...vitestArgs], { cwd: home })
  for (const [label, find, args] of runtimes) {
    const program = binaryOf(() => find(kept, versions))
    if (program === null) console.log(`${label}: skipped, there is no binary for this system`)
    else {
      run(`${label}, in memory`, program, [...args, "app.mjs"], { cwd: home })
      run(`${label}, @errata/effect`, program, [...args, "effect.mjs"], { cwd: home })
    }
  }
}

// internal

const { arch, platform } = process

const runtimes = [
  [
    "Bun",
    (kept, { bun }) => kept(`@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}`, bun, "bin/bun"),
    ["run"],
  ],
  [
    "Deno",
    (kept, { deno }) =>
      kept(`@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`, deno, "deno"),
    ["run", "--allow-all", "--node-modules-dir=manual"],
  ],
]

const binaryOf = (find) => {
  try {
    return find()
  } catch {
    return null
  }
}

/** A package and the Errata packages that it depends on. */
const neededBy = (name, found = new Set()) => {
  if (found.has(name)) return []
  found.add(name)
  const { manifest } = publishedPackages().find((each) => each.manifest.name === name)
  const own = Object.keys(manifest.dependencies ?? {}).filter((each) => each.startsWith("@errata/"))
  return [name, ...own.flatMap((each) => neededBy(each, found))]
}

// Installs the packages as published into an empty project and uses them there: from JavaScript on every supported
// Node, and from TypeScript with both kinds of resolution.
// Usage: node scripts/check-pack.mjs, after `npm run build && npm run types`. `--keep` keeps the project.
import { execFileSync, spawnSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { checkBundles } from "./pack-bundles.mjs"
import { checkNext } from "./pack-next.mjs"
import { checkPostgres } from "./pack-postgres.mjs"
import { checkRunners } from "./pack-runners.mjs"
import { packAll } from "./packages.mjs"

const root = fileURLToPath(new URL("../", import.meta.url))
const samples = join(root, "scripts/pack")
const {
  bundlerVersions,
  compilerVersions,
  inspectorVersion,
  nextVersions,
  nodeVersions,
  oldNodeVersion,
  runnerVersions,
} = JSON.parse(readFileSync(join(samples, "versions.json"), "utf8"))
const inspectorFile = "clients/launcher/build/index.js"
const folder = mkdtempSync(join(tmpdir(), "errata-pack-"))
let failures = 0

/** Runs a program in the project and prints its output if it fails. */
const run = (label, program, args, options = {}) => {
  const began = Date.now()
  try {
    const output = execFileSync(program, args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      // Only ends what hangs.
      timeout: 600_000,
      ...options,
    })
    console.log(`${label}: in order (${((Date.now() - began) / 1000).toFixed(1)} s)`)
    return output
  } catch (error) {
    failures++
    console.error(`${label}: ${error.message}\n${error.stdout ?? ""}`)
    return ""
  }
}

/** Installs packages by version without changing the project's manifest. */
const install = (label, packages) =>
  run(label, "npm", [
    "install",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--no-save",
    ...Object.entries(packages).map(([name, version]) => `${name}@${version}`),
  ])

/** Path of another version of Node, from an npm package. Packages are cached, since a version never changes. */
const nodeBinary = (version) => {
  const system = { darwin: "darwin", linux: "linux", win32: "win" }[process.platform]
  const name = `node-${system}-${process.arch}`
  return kept(name, version, process.platform === "win32" ? "bin/node.exe" : "bin/node")
}

/** Path of a file in a package that is not a dependency. Installs the package with its dependencies if needed. */
const kept = (name, version, file) => {
  const home = join(root, "node_modules/.cache/errata-pack", `${name.replace("/", "-")}-${version}`)
  const path = join(home, "node_modules", name, file)
  if (!existsSync(path)) {
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, "package.json"), `{"private":true}`)
    execFileSync("npm", ["install", "--no-audit", "--no-fund", `${name}@${version}`], {
      cwd: home,
      stdio: "pipe",
    })
  }
  return path
}

/** On a Node that is too old, the command says so and fails. */
const refused = (node) => {
  const { status, stderr } = spawnSync(node, ["node_modules/@errata/cli/bin/errata.js", "--version"], {
    cwd: folder,
    encoding: "utf8",
  })
  if (status === 1 && stderr.startsWith("errata: Node 22.19 or later is required.")) {
    console.log(`${node}: refused (${stderr.trim()})`)
  } else {
    failures++
    console.error(`${node}: the command ended with ${status}, and printed: ${stderr}`)
  }
}

try {
  const tarballs = packAll(folder)
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { peerDependencies: peers } = JSON.parse(
    readFileSync(join(root, "packages/api/package.json"), "utf8"),
  )
  const manifest = {
    private: true,
    type: "module",
    dependencies: {
      ...tarballs,
      effect: devDependencies.effect,
      vitest: devDependencies.vitest,
      // For the wire suite.
      ajv: peers.ajv,
      "ajv-formats": peers["ajv-formats"],
    },
    devDependencies: {
      "@types/node": devDependencies["@types/node"],
      ...Object.fromEntries(
        Object.entries(compilerVersions).map(([alias, version]) => [alias, `npm:typescript@${version}`]),
      ),
    },
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2))
  run("npm install", "npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--strict-peer-deps"])
  // Two copies of Effect would have separate services that do not match.
  for (const name of ["effect", "@errata/core"]) {
    const found = run(`one copy of ${name}`, "npm", ["ls", name, "--all", "--parseable"])
    const copies = new Set(found.split("\n").filter((line) => line !== ""))
    if (copies.size > 1) {
      failures++
      console.error(`${name} is installed ${copies.size} times:\n${[...copies].join("\n")}`)
    }
  }

  for (const file of readdirSync(samples)) copyFileSync(join(samples, file), join(folder, file))
  for (const version of nodeVersions) {
    const node = nodeBinary(version)
    console.log(`${node}: ${run(`Node ${version}`, node, ["--version"]).trim()}`)
    run(`Node ${version}: every entry loads`, node, ["entries.mjs"])
    run(`Node ${version}: an error comes back`, node, ["use.mjs"])
    run(`Node ${version}: require`, node, ["use.cjs"])
    run(`Node ${version}: the command`, node, ["node_modules/@errata/cli/bin/errata.js", "--version"])
  }
  refused(nodeBinary(oldNodeVersion))
  // The inspector requires a newer Node than Errata does.
  const inspector = kept("@modelcontextprotocol/inspector", inspectorVersion, inspectorFile)
  run("the tools of MCP, by its inspector", nodeBinary(nodeVersions.at(-1)), ["inspector.mjs", inspector])
  run("the contract of storages", process.execPath, [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--testTimeout=60000",
    "--hookTimeout=60000",
  ])
  for (const alias of Object.keys(compilerVersions)) {
    const tsc = join(folder, "node_modules", alias, "bin/tsc")
    for (const config of ["tsconfig.nodenext.json", "tsconfig.bundler.json"]) {
      run(`${alias}, ${config}`, process.execPath, [tsc, "-p", config])
    }
  }
  checkRunners({
    folder,
    kept,
    nodes: nodeVersions.map((version) => [version, nodeBinary(version)]),
    run,
    tarballs,
    versions: runnerVersions,
    vitest: devDependencies.vitest,
  })
  await checkPostgres({ folder: `${folder}-alone`, run })
  checkBundles({ folder, install, packages: bundlerVersions, run })
  await checkNext({ folder, install, packages: nextVersions, run })
} finally {
  if (process.argv.includes("--keep")) console.log(`The project is in ${folder}`)
  else for (const path of [folder, `${folder}-alone`]) rmSync(path, { recursive: true, force: true })
}

if (failures > 0) process.exit(1)
console.log("What would be published can be installed and used.")

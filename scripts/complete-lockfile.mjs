// Completes package-lock.json if `npm install` used a registry without packages of other platforms. npm omits those
// from the lock file. `npm ci` then rejects it, even if they are not needed.
// Usage: node scripts/complete-lockfile.mjs [folder of the lock file]
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL(`../${process.argv[2] ?? "."}/package-lock.json`, import.meta.url)
const lock = JSON.parse(readFileSync(file, "utf8"))
const { packages } = lock

const systems = {
  aix: "aix",
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  linux: "linux",
  netbsd: "netbsd",
  openbsd: "openbsd",
  openharmony: "openharmony",
  sunos: "sunos",
  win32: "win32",
  windows: "win32",
}
const processors = {
  64: "x64",
  arm: "arm",
  arm64: "arm64",
  ia32: "ia32",
  loong64: "loong64",
  ppc64: "ppc64",
  riscv64: "riscv64",
  s390x: "s390x",
  wasm32: "wasm32",
  x64: "x64",
}

const isLocked = (path, name) => packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`]

let added = 0
for (const [path, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    // Dependencies on platform packages have an exact version.
    if (isLocked(path, name) || !/^\d/.test(version)) continue
    const words = name.split("/").at(-1).split("-")
    const pick = (table) => words.map((word) => table[word]).find((value) => value !== undefined)
    const cpu = pick(processors)
    const os = pick(systems)
    packages[`node_modules/${name}`] = {
      version,
      ...(cpu === undefined ? {} : { cpu: [cpu] }),
      ...(entry.dev ? { dev: true } : {}),
      ...(words.includes("musl") ? { libc: ["musl"] } : {}),
      optional: true,
      ...(os === undefined ? {} : { os: [os] }),
    }
    added++
  }
}

lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`Added ${added} packages of other platforms.`)

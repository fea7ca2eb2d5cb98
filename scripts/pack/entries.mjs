// Imports every entry of every installed Errata package.
import { readdirSync, readFileSync } from "node:fs"

const manifestOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"))
const installed = readdirSync("node_modules/@errata").map((name) => `@errata/${name}`)
const own = Object.keys(manifestOf("../").dependencies)
const names = own.filter((name) => name === "errata" || installed.includes(name))

let count = 0
for (const name of names) {
  for (const path of Object.keys(manifestOf(name).exports)) {
    // Only vitest can load its suites: see contract.test.mjs.
    if (name === "@errata/testing" || path === "./wire") continue
    await import(`${name}${path.slice(1)}`)
    count++
  }
}
if (names.length === 0) throw new Error("No package of Errata is installed here")
console.log(`${count} entries of ${names.length} packages`)

// What `npm start` runs: builds, and then is the server itself. A server in a process behind this one would not get the
// signals that npm hands on.
import "./build.mjs"
import { fileURLToPath } from "node:url"

const bin = new URL("../packages/cli/dist/bin.js", import.meta.url)
process.argv = [process.execPath, fileURLToPath(bin), "serve", ...process.argv.slice(2)]
await import(bin.href)

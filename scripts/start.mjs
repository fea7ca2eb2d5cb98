// `npm start`: builds, then becomes the server itself. A child process would not receive the signals that npm passes
// on.
import "./build.mjs"
import { fileURLToPath } from "node:url"

const bin = new URL("../packages/cli/dist/bin.js", import.meta.url)
process.argv = [process.execPath, fileURLToPath(bin), "serve", ...process.argv.slice(2)]
await import(bin.href)

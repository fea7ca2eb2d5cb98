#!/usr/bin/env node
// npm links a command only where its file is there when it installs, and in a checkout nothing is built by then.
import { existsSync } from "node:fs"

const built = new URL("../dist/bin.js", import.meta.url)
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`errata: Node 22.19 or later is required. This is Node ${process.versions.node}.\n`)
  process.exitCode = 1
} else if (existsSync(built)) {
  await import(built.href)
} else {
  process.stderr.write("errata: The command is not built yet. Run this first: npm run build\n")
  process.exitCode = 1
}

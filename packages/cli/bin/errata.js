#!/usr/bin/env node
// npm links a command only where its file is there when it installs, and in a checkout nothing is built by then.
import { existsSync } from "node:fs"

const built = new URL("../dist/bin.js", import.meta.url)

if (existsSync(built)) {
  await import(built.href)
} else {
  process.stderr.write("errata: The command is not built yet. Run this first: npm run build\n")
  process.exitCode = 1
}

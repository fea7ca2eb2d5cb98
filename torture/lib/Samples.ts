/** Envelopes and events of real applications, to be damaged. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** Reads the project's samples, and those next to its folder if present. `root` is the project's folder. */
export const read = (root: string): ReadonlyArray<Buffer> => [
  ...folder(join(root, "test/samples")),
  ...folder(join(root, "../shared/data/envelopes")),
  ...folder(join(root, "../shared/data/events")),
]

// internal

const largest = 256 * 1024

const folder = (path: string): ReadonlyArray<Buffer> => {
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = join(path, entry.name)
      if (entry.isDirectory()) return folder(file)
      return /\.(json|txt|bin)$/.test(entry.name) && statSync(file).size <= largest
        ? [readFileSync(file)]
        : []
    })
}

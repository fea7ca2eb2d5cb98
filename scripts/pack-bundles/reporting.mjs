// Reports an error and reads it back. The first argument of the program is the folder of an embedded database, or the
// URL of PostgreSQL. Without it, memory is used.
import { createErrata, memory } from "errata"
import { embedded } from "errata/embedded"
import { postgres } from "errata/postgres"

const storageOf = (place) => {
  if (place === undefined) return memory()
  return place.startsWith("postgres:") ? postgres({ url: place }) : embedded({ dir: place })
}

/** `path` must be answered with 200. */
export const report = async (options, path) => {
  const errata = await createErrata({ ...options, storage: storageOf(process.argv[2]) })
  await errata.capture(new RangeError("from a bundle"))
  await errata.flush({ timeout: 30_000 })
  const { groups } = await errata.groups.list(errata.project.id)
  const { status } = await errata.fetch(new Request(`http://localhost${path}`))
  await errata.close()
  if (groups[0]?.error_message !== "from a bundle" || status !== 200) throw new Error("Nothing came back")
}

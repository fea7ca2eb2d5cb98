// An application to bundle, which reports an error and reads it back. Usage: app.mjs [FOLDER | URL], for an embedded
// database in the folder or PostgreSQL at the URL. Without either it uses memory.
import { dashboard } from "@errata/dashboard"
import { createErrata, memory } from "errata"
import { embedded } from "errata/embedded"
import { postgres } from "errata/postgres"

const storageOf = (place) => {
  if (place === undefined) return memory()
  return place.startsWith("postgres:") ? postgres({ url: place }) : embedded({ dir: place })
}

const main = async () => {
  const errata = await createErrata({ storage: storageOf(process.argv[2]), dashboard })
  await errata.capture(new RangeError("from a bundle"))
  await errata.flush({ timeout: 30_000 })
  const { groups } = await errata.groups.list(errata.project.id)
  const { status } = await errata.fetch(new Request("http://localhost/projects"))
  await errata.close()
  if (groups[0]?.error_message !== "from a bundle" || status !== 200) throw new Error("Nothing came back")
}
void main()

// An application that is bundled: it reports an error, and reads it back. Usage: app.mjs [FOLDER], for the embedded database.
import { createErrata, memory } from "errata"
import { embedded } from "errata/embedded"
import { postgres } from "errata/postgres"

const main = async () => {
  const dir = process.argv[2]
  if (postgres({ url: "postgres://127.0.0.1/" }).name !== "PostgreSQL") throw new Error("No PostgreSQL")
  const errata = await createErrata({ storage: dir === undefined ? memory() : embedded({ dir }) })
  await errata.capture(new RangeError("from a bundle"))
  await errata.flush({ timeout: 30_000 })
  const { groups } = await errata.groups.list(errata.project.id)
  const { status } = await errata.fetch(new Request("http://localhost/up"))
  await errata.close()
  if (groups[0]?.error_message !== "from a bundle" || status !== 200) throw new Error("Nothing came back")
}
void main()

/** Builds the command with an additional migration, as the next version for the scenario "rolling upgrade". */
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { build } from "tsup"
import { modules } from "../tsup.modules.ts"

const root = new URL("../", import.meta.url)

/** Adds columns to tables of the hot path, as versions do, and a table. */
const migration = `Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.all([
  sql\`CREATE TABLE errata.next_version (id integer)\`,
  ...["projects", "groups", "reports", "segments", "pending_batches", "group_events", "notes"].map((table) =>
    sql.unsafe(\`ALTER TABLE errata.\${table} ADD COLUMN next_version text DEFAULT 'next'\`)),
], { discard: true }))`

const withMigration = {
  name: "next-version",
  setup: ({ onLoad }) => {
    onLoad({ filter: /storage-postgres[\\/]src[\\/]internal[\\/]Migrations\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8")
      const changed = source.replace(
        '[[1, "initial", initial]]',
        `[[1, "initial", initial], [2, "next", ${migration}, 1]]`,
      )
      if (changed === source) throw new Error(`${path} has no list of migrations`)
      return { contents: changed, loader: "ts" }
    })
  },
}

/** Returns the path of the command. */
export const buildNextVersion = async () => {
  const outDir = fileURLToPath(new URL("node_modules/.cache/errata-next/", root))
  const source = (name) => fileURLToPath(new URL(`packages/cli/src/${name}.ts`, root))
  await build({
    config: fileURLToPath(new URL("packages/cli/tsup.config.ts", root)),
    entry: { bin: source("bin"), recorder: source("recorder") },
    outDir,
    splitting: false,
    sourcemap: false,
    clean: false,
    silent: true,
    outExtension: () => ({ js: ".mjs" }),
    esbuildPlugins: [withMigration, modules],
  })
  return `${outDir}bin.mjs`
}

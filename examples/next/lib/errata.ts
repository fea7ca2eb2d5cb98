/** One instance per process, even if the development server reloads this module. */
import { createErrata, type Errata, memory } from "errata"
import { postgres } from "errata/postgres"

const holder = globalThis as typeof globalThis & { errata?: Promise<Errata> }

/** Opened on the first request: `next build` loads routes too and must not open a storage. */
export const errata = (): Promise<Errata> => {
  holder.errata ??= createErrata({
    storage: process.env.DATABASE_URL === undefined ? memory() : postgres({ url: process.env.DATABASE_URL }),
    baseUrl: process.env.ERRATA_BASE_URL ?? "http://localhost:3000/errors",
  })
  return holder.errata
}

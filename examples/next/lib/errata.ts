/** One instance for the process, also where the development server loads this module again. */
import { createErrata, type Errata, memory } from "errata"
import { postgres } from "errata/postgres"

const holder = globalThis as typeof globalThis & { errata?: Promise<Errata> }

/** Opened at the first request, so that `next build`, which loads routes as well, opens nothing. */
export const errata = (): Promise<Errata> => {
  holder.errata ??= createErrata({
    storage: process.env.DATABASE_URL === undefined ? memory() : postgres({ url: process.env.DATABASE_URL }),
    baseUrl: process.env.ERRATA_BASE_URL ?? "http://localhost:3000/errors",
  })
  return holder.errata
}

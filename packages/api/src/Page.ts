import type { Page } from "@errata/core"
import { Schema } from "effect"
import { described } from "./Json.js"

/** The answer of a list: its items under their plural name, and how to go on. */
export const pageOf = <Key extends string, A, I>(key: Key, item: Schema.Schema<A, I>) =>
  Schema.Struct({
    ...({ [key]: Schema.Array(item) } as { readonly [K in Key]: Schema.Array$<Schema.Schema<A, I>> }),
    next_cursor: described(
      "To be sent as `cursor` for the next page; null where there is none",
      Schema.NullOr(Schema.Int),
    ),
    has_more: Schema.Boolean,
  }).annotations({ identifier: `${pascalCase(key)}Page` })

/** The fields of a page beside its items. */
export const pageFields = (page: Page.Page<unknown>) => ({
  next_cursor: page.nextCursor,
  has_more: page.nextCursor !== null,
})

// internal

const pascalCase = (key: string): string =>
  key.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

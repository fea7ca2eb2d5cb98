/** The contract of a server over HTTP, as named cases. */
import type { Wire } from "./Wire.js"

/** One rule of the REST API, as a test. */
export interface WireCase {
  readonly name: string
  /** Creates its own data, and throws if the server breaks the contract. Cases run in any order. */
  readonly run: (wire: Wire) => Promise<void>
}

/** Cases about one subject. */
export interface WireFile {
  readonly name: string
  readonly cases: ReadonlyArray<WireCase>
}

export const wireCase = (name: string, run: WireCase["run"]): WireCase => ({ name, run })

/** What a server must do over HTTP, as named cases. */
import type { Wire } from "./Wire.js"

export interface WireCase {
  readonly name: string
  /** The rules of the API that the case checks. */
  readonly rows: ReadonlyArray<string>
  /** Makes what it needs and fails where the server does not keep the promise; runs in any order. */
  readonly run: (wire: Wire) => Promise<void>
}

export interface WireFile {
  readonly name: string
  readonly cases: ReadonlyArray<WireCase>
}

export const wireCase = (name: string, rows: ReadonlyArray<string>, run: WireCase["run"]): WireCase => ({
  name,
  rows,
  run,
})

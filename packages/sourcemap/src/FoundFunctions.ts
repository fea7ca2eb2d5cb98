/** Functions that were found, in the order in which they begin. One lies within another or outside of it. */
export interface FoundFunctions {
  /** UTF-16 units into the text, where the bodies begin and end. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly names: ReadonlyArray<string | null>
  /** The one that each lies in; -1 of none. */
  readonly parents: Int32Array
}

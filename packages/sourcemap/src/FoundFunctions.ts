/** Functions in the order of their starts. They are nested or disjoint. */
export interface FoundFunctions {
  /** Offsets of the bodies in UTF-16 units. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly names: ReadonlyArray<string | null>
  /** Index of the enclosing function, or -1. */
  readonly parents: Int32Array
}

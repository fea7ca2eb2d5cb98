/** Finds the function of a script at a position. */
import type { FoundFunctions } from "./FoundFunctions.js"
import { FunctionScanner } from "./FunctionScanner.js"
import type { NameAt } from "./ScannerState.js"

/** In JSX, a `<` before a value starts an element; in TypeScript, a type. */
export type Dialect = "jsx" | "typescript"

export class FunctionTable {
  private constructor(private readonly found: FoundFunctions) {}

  /** Uses the first dialect that can read the whole text. Returns null if none can. */
  static of(text: string, dialects: ReadonlyArray<Dialect>, nameAt?: NameAt): FunctionTable | null {
    for (const dialect of dialects) {
      const found = new FunctionScanner(text, dialect === "jsx", nameAt).scan()
      if (found !== null) return new FunctionTable(found)
    }
    return null
  }

  /** Restores the methods of an object from another thread. */
  static revived(table: FunctionTable): FunctionTable {
    return Object.setPrototypeOf(table, FunctionTable.prototype)
  }

  /** Approximate size in bytes. */
  get memory(): number {
    return this.found.starts.length * bytesPerFunction
  }

  /** Returns the name of the innermost function at an offset. `<anonymous>` if it has none, or at top level. */
  find(offset: number): string {
    const { ends, names, parents, starts } = this.found
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (starts[middle]! <= offset) low = middle + 1
      else high = middle
    }
    let at = low - 1
    while (at >= 0 && ends[at]! <= offset) at = parents[at]!
    return at === -1 ? "<anonymous>" : (names[at] ?? "<anonymous>")
  }
}

// internal

/** Three numbers and a name. */
const bytesPerFunction = 64

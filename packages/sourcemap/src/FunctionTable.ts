/** Which function of a script a position is in. */
import type { FoundFunctions } from "./FoundFunctions.js"
import { FunctionScanner } from "./FunctionScanner.js"

export class FunctionTable {
  private constructor(private readonly found: FoundFunctions) {}

  /** Null where the text cannot be followed to its end. */
  static of(text: string, isJsx: boolean): FunctionTable | null {
    const found = new FunctionScanner(text, isJsx).scan()
    return found === null ? null : new FunctionTable(found)
  }

  /** The name of the innermost function around an offset; `<anonymous>` of one without a name, and outside of all. */
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

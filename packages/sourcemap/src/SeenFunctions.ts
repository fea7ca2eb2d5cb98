import type { FoundFunctions } from "./FoundFunctions.js"

/** Collects the functions of a text during the scan. */
export class SeenFunctions {
  private readonly starts: Array<number> = []
  private readonly ends: Array<number> = []
  private readonly names: Array<string | null> = []
  private readonly parents: Array<number> = []
  /** The innermost function that has not ended yet. */
  open = -1

  private readonly most: number

  /** Limits the number of functions: no real code has one for every eight characters. */
  constructor(private readonly length: number) {
    this.most = 1_000 + length / 8
  }

  /** Adds a function. Returns false if the limit is reached. */
  begin(at: number, name: string | null): boolean {
    this.starts.push(at)
    this.ends.push(this.length)
    this.names.push(name === "" ? null : name)
    this.parents.push(this.open)
    this.open = this.starts.length - 1
    return this.starts.length <= this.most
  }

  end(index: number, at: number): void {
    this.ends[index] = at
    this.open = this.parents[index]!
  }

  found(): FoundFunctions {
    const { ends, names, parents, starts } = this
    return {
      starts: Int32Array.from(starts),
      ends: Int32Array.from(ends),
      names,
      parents: Int32Array.from(parents),
    }
  }
}

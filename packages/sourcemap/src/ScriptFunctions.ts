/** The functions of a generated script, by their original names in its map. */
import * as FunctionName from "./FunctionName.js"
import { FunctionTable } from "./FunctionTable.js"
import type { GeneratedScript } from "./SourceMapEngine.js"
import type { SourceMapFile } from "./SourceMapFile.js"
import { lineStartsOf } from "./SourceText.js"

/** For maps without source texts: minifiers keep most functions and write their original names into the map. */
export class ScriptFunctions implements GeneratedScript {
  readonly memory: number

  private constructor(
    private readonly lineStarts: Int32Array,
    private readonly table: FunctionTable | null,
  ) {
    this.memory = (table?.memory ?? 0) + lineStarts.byteLength
  }

  /** Restores the methods of an object from another thread. */
  static revived(functions: ScriptFunctions): ScriptFunctions {
    if (functions.table !== null) FunctionTable.revived(functions.table)
    return Object.setPrototypeOf(functions, ScriptFunctions.prototype)
  }

  /** Reads a UTF-8 script with the names of its map. */
  static read(
    code: Uint8Array,
    { mappings, names }: Pick<SourceMapFile, "mappings" | "names">,
  ): ScriptFunctions {
    const text = new TextDecoder().decode(code)
    const lineStarts = lineStartsOf(text)
    let line = 0
    // Offsets only ascend, so the line needs no search.
    const nameAt = (offset: number): string | null => {
      while (line + 1 < lineStarts.length && lineStarts[line + 1]! <= offset) line++
      const name = names[mappings.nameAt(line, offset - lineStarts[line]!)]
      return name !== undefined && FunctionName.isIdentifier(name) ? name : null
    }
    return new ScriptFunctions(lineStarts, FunctionTable.of(text, ["typescript"], nameAt))
  }

  /**
   * Returns the name of the function at a position: `<anonymous>` if it has none, null if the script could not be read.
   * Lines and columns count from 0.
   */
  find(line: number, column: number): string | null {
    const start = this.lineStarts[line]
    if (this.table === null || start === undefined) return null
    const name = this.table.find(start + column)
    // Bundlers use numbers and paths as names of modules.
    return FunctionName.isOfFunction(name) ? name : FunctionName.anonymous
  }
}

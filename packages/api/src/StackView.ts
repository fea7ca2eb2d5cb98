/** Exceptions and stacks in the API. */
import { Schema } from "effect"
import { textOrNull } from "./Fields.js"
import { described, isJsonObject, JsonObject, opaque } from "./Json.js"

const field = (type: "string" | "integer" | "boolean", description: string) => ({ type, description })

const lines = (description: string) => ({ type: "array", items: { type: "string" }, description })

// Fields that the SDK did not send are absent: a report can have a thousand frames.
const Frame = opaque(isJsonObject, {
  type: "object",
  properties: {
    filename: field("string", "File, as the application names it"),
    abs_path: field("string", "Path or URL of the file"),
    function: field("string", "Function"),
    module: field("string", "Module, class or namespace"),
    package: field("string", "Package or library"),
    lineno: field("integer", "Line, starting at 1"),
    colno: field("integer", "Column, starting at 1"),
    in_app: field("boolean", "True for code of the application itself"),
    instruction_addr: field("string", "Address of the instruction, in hexadecimal"),
    symbol_addr: field("string", "Address of the function, in hexadecimal"),
    pre_context: lines("Source lines before the line"),
    context_line: field("string", "Source line"),
    post_context: lines("Source lines after the line"),
    vars: { type: "object", description: "Variables and their values" },
  },
}).annotate({ identifier: "Frame" })

export const Exception = Schema.Struct({
  type: textOrNull("Error type. Null if unknown"),
  value: textOrNull("Error message, or null"),
  module: textOrNull("Module of the error type. Null if unknown"),
  thread_id: textOrNull("Thread of the exception. Null if unknown"),
  mechanism: described("How the SDK caught the exception. Null if unknown", Schema.NullOr(JsonObject)),
  handled: described(
    "True if the application caught the exception. Null if unknown",
    Schema.NullOr(Schema.Boolean),
  ),
  frames: described("Frames, from the outermost call to the innermost", Schema.Array(Frame)),
}).annotate({ identifier: "Exception" })

/** An exception and its stack as the API shows them. */
import { Schema } from "effect"
import { described, JsonObject } from "./Json.js"

const field = (type: "string" | "integer" | "boolean", description: string) => ({ type, description })

const lines = (description: string) => ({ type: "array", items: { type: "string" }, description })

// What the sender left out of a frame is absent: a report may have a thousand of them.
const Frame = JsonObject.annotations({
  identifier: "Frame",
  jsonSchema: {
    type: "object",
    properties: {
      filename: field("string", "The file, as the application names it"),
      abs_path: field("string", "The file with its whole path, or its URL"),
      function: field("string", "The function"),
      module: field("string", "The module, class or namespace"),
      package: field("string", "The package or library"),
      lineno: field("integer", "The line, from 1"),
      colno: field("integer", "The column, from 1"),
      in_app: field("boolean", "Whether it is code of the application itself"),
      instruction_addr: field("string", "The address of the instruction, in hexadecimal"),
      symbol_addr: field("string", "The address of the function, in hexadecimal"),
      pre_context: lines("The lines of source before"),
      context_line: field("string", "The line of source"),
      post_context: lines("The lines of source behind"),
      vars: { type: "object", description: "The variables and their values" },
    },
  },
})

export const Exception = Schema.Struct({
  type: described("What kind of error it is; null where unknown", Schema.NullOr(Schema.String)),
  value: described("What it says; null where it says nothing", Schema.NullOr(Schema.String)),
  module: described("Where its type is defined; null where unknown", Schema.NullOr(Schema.String)),
  thread_id: described("The thread that it was raised in; null where unknown", Schema.NullOr(Schema.String)),
  mechanism: described("How the SDK came by it; null where unknown", Schema.NullOr(JsonObject)),
  handled: described(
    "Whether the application caught it; null where the sender did not say",
    Schema.NullOr(Schema.Boolean),
  ),
  frames: described("From the outermost call to the innermost", Schema.Array(Frame)),
}).annotations({ identifier: "Exception" })

/** Words of JavaScript and TypeScript that determine how the scanner reads the next token. */

/** The text after `function` if it is a keyword. */
export const beginsFunction = /^[\s*]{0,8}(?:[\w$(]|[^\0-\x7f]|\/\*)/

export const beginsClass = /^\s{0,8}(?:[\w${]|[^\0-\x7f])/

/** The text after `void` if it is a type. */
export const isType = /^[ \t]{0,8}(?:$|[\n\r;,)|>=}{\]&])/

/** Words before parentheses that are not parameters. */
export const control: ReadonlySet<string> = new Set([
  "if",
  "while",
  "for",
  "switch",
  "with",
  "catch",
  "await",
])

export const declaring: ReadonlySet<string> = new Set(["const", "let", "var"])

/** Words that are followed by a value. */
export const beforeValue: ReadonlySet<string> = new Set(
  "await case default delete do else extends implements in instanceof new return throw try finally typeof void yield".split(
    " ",
  ),
)

export const beforeBlock: ReadonlySet<string> = new Set(["do", "else", "try", "finally"])

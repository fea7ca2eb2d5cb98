/** The state between two brackets, or outside of all. */
export interface Scope {
  kind: "block" | "object" | "class" | "(" | "[" | "template" | "expression" | "tag" | "children"
  /** Of a body, its function; else -1. */
  body: number
  /** Arrow functions of this scope whose bodies are values, with the conditions that were open before each. */
  readonly arrows: Array<{ readonly index: number; readonly ternaries: number }>
  /** `?` whose `:` has not come yet. */
  ternaries: number
  /** A function or class of which only the head has come. */
  head: { readonly isClass: boolean; name: string | null; readonly given: string | null } | null
  /** The name before a type annotation and its value. */
  annotated: string | null
  declared: string
  /** Parameters that are followed by the type of what a function gives. */
  result: Scope | null
  angle: { readonly word: string; readonly given: string | null } | null
  /** `<` that may be those of types, and have not been closed. */
  types: number
  isCase: boolean
  className: string
  /** Of parentheses: the word before them, whether they are a function's for sure, or those of `if` and the like. */
  word: string
  given: string | null
  isFunction: boolean
  isControl: boolean
}

export const newScope = (kind: Scope["kind"]): Scope => ({
  kind,
  body: -1,
  arrows: [],
  ternaries: 0,
  head: null,
  annotated: null,
  declared: "",
  result: null,
  angle: null,
  types: 0,
  isCase: false,
  className: "",
  word: "",
  given: null,
  isFunction: false,
  isControl: false,
})

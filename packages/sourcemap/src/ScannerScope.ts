/** State of the scanner between two brackets, or at the top level. */
export interface Scope {
  kind: "block" | "object" | "class" | "(" | "[" | "template" | "expression" | "tag" | "children"
  /** Function whose body this is, or -1. */
  body: number
  /** Arrow functions with expression bodies, with the number of `?` open before each. */
  readonly arrows: Array<{ readonly index: number; readonly ternaries: number }>
  /** Number of `?` without their `:`. */
  ternaries: number
  /** A function or class whose body has not started. */
  head: { readonly isClass: boolean; name: string | null; readonly given: string | null } | null
  /** The name before a type annotation. */
  annotated: string | null
  declared: string
  /** The parameters before a return type. */
  result: Scope | null
  angle: { readonly word: string; readonly given: string | null } | null
  /** Number of open `<` that may be type brackets. */
  types: number
  isCase: boolean
  className: string
  /** For parentheses: the word before them, whether they certainly belong to a function, or to a control keyword. */
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

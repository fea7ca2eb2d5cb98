/** Finds the functions of a script with a parser, by the naming rules of `FunctionScanner`. */
import { parseSync } from "oxc-parser"

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/** A call, and the name of the function that contains it. */
export interface ParsedCall {
  readonly offset: number
  readonly name: string
}

/** Returns null if the text does not parse. Omits calls in parameters, decorators and member initializers. */
export const callsOf = (file: string, text: string): ReadonlyArray<ParsedCall> | null => {
  const { errors, program } = parseSync(file, text)
  if (errors.length > 0) return null
  const calls: Array<ParsedCall> = []
  walk(program as unknown as Node, "<anonymous>", { given: null, className: null }, calls)
  return calls
}

// internal

interface Place {
  /** The name that the node has from its position. */
  readonly given: string | null
  /** The name of the class whose member the node is. */
  readonly className: string | null
}

const nowhere: Place = { given: null, className: null }

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string"

const nameOf = (value: unknown): string | null => {
  if (!isNode(value)) return null
  if (value.type === "Identifier") return value["name"] as string
  if (value.type === "PrivateIdentifier") return `#${value["name"] as string}`
  if (value.type === "MemberExpression") return value["computed"] === true ? null : nameOf(value["property"])
  if (value.type === "Literal") return String(value["value"])
  return null
}

const member = (className: string | null, key: string | null): string | null =>
  key === null || className === null || className === ""
    ? key
    : key === "constructor"
      ? `new ${className}`
      : `${className}.${key}`

const walk = (node: Node, inside: string | null, place: Place, calls: Array<ParsedCall>) => {
  const go = (child: unknown, next: Place = nowhere, within = inside) => {
    if (Array.isArray(child)) for (const one of child) go(one, next, within)
    else if (isNode(child)) walk(child, within, next, calls)
  }
  switch (node.type) {
    case "CallExpression":
    case "NewExpression":
      if (inside !== null) calls.push({ offset: node.start, name: inside })
      break
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression": {
      const name = nameOf(node["id"]) ?? place.given
      go(node["params"], nowhere, null)
      return go(node["body"], nowhere, name === null || name === "" ? "<anonymous>" : name)
    }
    case "ClassDeclaration":
    case "ClassExpression": {
      go(node["superClass"])
      go(node["decorators"], nowhere, null)
      return go((node["body"] as Node)["body"], {
        given: null,
        className: nameOf(node["id"]) ?? place.given ?? "",
      })
    }
    case "MethodDefinition":
    case "PropertyDefinition": {
      const key = node["computed"] === true ? null : nameOf(node["key"])
      go(node["decorators"], nowhere, null)
      return go(node["value"], { given: member(place.className, key), className: null }, null)
    }
    case "Property": {
      const key = node["computed"] === true ? null : nameOf(node["key"])
      go(node["key"])
      return go(node["value"], { given: key, className: null })
    }
    case "VariableDeclarator":
      go(node["id"])
      return go(node["init"], { given: nameOf(node["id"]), className: null })
    case "AssignmentExpression":
      go(node["left"])
      return go(
        node["right"],
        node["operator"] === "=" ? { given: nameOf(node["left"]), className: null } : nowhere,
      )
    case "AssignmentPattern":
      go(node["left"])
      return go(node["right"], { given: nameOf(node["left"]), className: null })
    case "ExportDefaultDeclaration":
      return go(node["declaration"], { given: "default", className: null })
    case "Decorator":
      return
  }
  for (const value of Object.values(node)) go(value)
}

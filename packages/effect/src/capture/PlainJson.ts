/** Turns any value into bounded JSON. */
import { Predicate } from "effect"
import { isError } from "./ErrorValue.js"

/** A value of JSON. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/**
 * Returns JSON for any value. Cuts cycles, converts values without a JSON form to text, and truncates deep or long
 * values. Never throws, even if a getter does.
 */
export const plainJson = (value: unknown): Json => new Plain().of(value, 0)

/** Returns the members of an object as JSON. */
export const plainObject = (value: object): { readonly [key: string]: Json } => {
  const plain = plainJson(value)
  return Predicate.isObject(plain) ? (plain as { readonly [key: string]: Json }) : { value: plain }
}

// internal

const maxDepth = 8
const maxItems = 100
const maxValues = 5_000
const maxText = 32_768

class Plain {
  private readonly above = new Set<object>()
  private values = 0

  of(value: unknown, depth: number): Json {
    if (++this.values > maxValues) return "[omitted]"
    switch (typeof value) {
      case "string":
        return value.length > maxText ? `${value.slice(0, maxText)}…` : value
      case "boolean":
        return value
      case "number":
        return Number.isFinite(value) ? value : String(value)
      case "object":
        return value === null ? null : this.ofObject(value, depth)
      case "function":
        return `[function ${value.name}]`
      default:
        return String(value)
    }
  }

  private ofObject(value: object, depth: number): Json {
    if (this.above.has(value)) return "[circular]"
    if (depth >= maxDepth) return "[deep]"
    this.above.add(value)
    try {
      if (isError(value)) {
        return { name: text(value.name), message: text(value.message), stack: text(value.stack) }
      }
      if (ArrayBuffer.isView(value)) return `[${value.constructor.name} of ${value.byteLength} bytes]`
      if ("toJSON" in value && typeof value.toJSON === "function") return this.of(value.toJSON(), depth + 1)
      if (value instanceof Map) return this.ofEntries([...value], depth)
      if (value instanceof Set) return this.ofList([...value], depth)
      if (Array.isArray(value)) return this.ofList(value, depth)
      return this.ofEntries(Object.entries(value), depth)
    } catch (error) {
      return `[unreadable: ${error instanceof Error ? error.message : String(error)}]`
    } finally {
      this.above.delete(value)
    }
  }

  private ofList(items: ReadonlyArray<unknown>, depth: number): Json {
    const plain = items.slice(0, maxItems).map((item) => this.of(item, depth + 1))
    return items.length > maxItems ? [...plain, `[${items.length - maxItems} more]`] : plain
  }

  private ofEntries(entries: ReadonlyArray<readonly [unknown, unknown]>, depth: number): Json {
    const plain = new Map<string, Json>()
    for (const [key, value] of entries.slice(0, maxItems)) {
      if (value !== undefined) plain.set(text(key), this.of(value, depth + 1))
    }
    if (entries.length > maxItems) plain.set("…", `[${entries.length - maxItems} more]`)
    return Object.fromEntries(plain)
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : String(value))

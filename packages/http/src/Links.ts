/** Addresses of this instance as a request can use them. Under an unknown prefix only relative ones work. */
import type { IncomingMessage } from "node:http"

/** The depth of a path below the mount: `/projects` 0, `/projects/1/groups` 2. */
export const depthOf = (path: string): number => path.split("/").length - 2

/** From a path below the mount to the mount: `./`, `../`, `../../`. */
export const rootFrom = (path: string): string => "../".repeat(depthOf(path)) || "./"

/** The prefix that a router such as Express removed from the URL, read from `originalUrl`. Null if it is unknown. */
export const strippedPrefix = (source: IncomingMessage | Request): string | null => {
  const original = "originalUrl" in source ? source.originalUrl : undefined
  if (typeof original !== "string") return null
  const [whole, rest] = [pathOf(original), pathOf(source.url ?? "/")]
  // A handler mounted at `/errors` sees `/` for it.
  const prefix = whole.endsWith(rest)
    ? whole.slice(0, whole.length - rest.length)
    : rest === "/"
      ? whole
      : null
  return prefix !== null && isPrefix.test(prefix) ? prefix : null
}

// internal

/** Nothing that a browser would read as the address of another host. */
const isPrefix = /^(?:\/[\w.~!$&'()*+=:@%-]+)*$/

const pathOf = (url: string): string => url.replace(/[?#].*$/s, "")

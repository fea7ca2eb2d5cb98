import type { IncomingMessage } from "node:http"

/** The path and query of a request: a proxy's names the whole address, which is taken off it. */
export const originForm = (request: IncomingMessage): string => {
  const url = request.url ?? "/"
  if (url.charCodeAt(0) === 47) return url
  const path = url.indexOf("/", url.indexOf("//") + 2)
  request.url = url.includes("//") && path !== -1 ? url.slice(path) : "/"
  return request.url
}

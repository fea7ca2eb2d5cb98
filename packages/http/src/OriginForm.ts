import type { IncomingMessage } from "node:http"

/** Returns path and query of a request. Requests to a proxy contain the whole URL. */
export const originForm = (request: IncomingMessage): string => {
  const url = request.url ?? "/"
  if (url.charCodeAt(0) === 47) return url
  const path = url.indexOf("/", url.indexOf("//") + 2)
  request.url = url.includes("//") && path !== -1 ? url.slice(path) : "/"
  return request.url
}

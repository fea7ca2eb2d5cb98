/** The address of the instance as one request needs it. */
import type { HttpServerRequest } from "@effect/platform"
import type { HttpSettings } from "./HttpOptions.js"

/**
 * The configured base URL or the address listened on. A fetch-style handler that was told of none goes by the request,
 * whose URL the embedding server has made. Without a trailing slash.
 */
export const baseUrlOf = (
  { basePath, baseUrl }: Pick<HttpSettings, "basePath" | "baseUrl">,
  { source }: HttpServerRequest.HttpServerRequest,
): string => {
  const known = baseUrl()
  if (known !== "") return known
  const url = source instanceof Request && URL.canParse(source.url) ? new URL(source.url).origin : ""
  return url + basePath
}

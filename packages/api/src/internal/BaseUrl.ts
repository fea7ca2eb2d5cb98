/** Validates base URLs and API keys, for both clients. Does not import Effect. */

/** Returns the base URL without a trailing slash, or null if it is invalid. */
export const normalBaseUrl = (text: string): string | null => {
  if (!URL.canParse(text)) return null
  const { hash, origin, password, pathname, protocol, search, username } = new URL(text)
  const plain = hash === "" && search === "" && username === "" && password === ""
  return plain && (protocol === "http:" || protocol === "https:")
    ? origin + pathname.replace(/\/+$/, "")
    : null
}

export const badBaseUrl = "baseUrl must be an http or https URL without credentials, query or fragment"

/** True if a header can contain the key. `fetch` would throw an error with the key in its message. */
export const isApiKey = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

export const badApiKey = "apiKey must consist of visible ASCII characters"

/** True if the text stays one segment of a path. Dot segments are resolved even if they are percent-encoded. */
export const isPathSegment = (text: string): boolean => text !== "" && text !== "." && text !== ".."

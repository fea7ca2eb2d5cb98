/** The address and the key that a client is made with. Without Effect: both clients go by it. */

/** The URL of an instance without a slash at its end; null for what is none. */
export const normalBaseUrl = (text: string): string | null => {
  if (!URL.canParse(text)) return null
  const { hash, origin, password, pathname, protocol, search, username } = new URL(text)
  const plain = hash === "" && search === "" && username === "" && password === ""
  return plain && (protocol === "http:" || protocol === "https:")
    ? origin + pathname.replace(/\/+$/, "")
    : null
}

export const badBaseUrl = "baseUrl must be an http or https URL without credentials, query or fragment"

/** Whether a header can carry it. `fetch` would complain with the key in its message. */
export const isApiKey = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

export const badApiKey = "apiKey must consist of visible ASCII characters"

/** Whether it stays a part of a path of its own. Dots and nothing would lead elsewhere, however they are encoded. */
export const isPathSegment = (text: string): boolean => text !== "" && text !== "." && text !== ".."

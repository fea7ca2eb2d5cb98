/** Error messages of transports, for both clients. Does not import Effect. */

/** The messages of an error and its causes, with the secret redacted. */
export const faultText = (error: unknown, secret: string): string => {
  const texts: Array<string> = []
  let at = error
  // The bound guards against cycles; real causes are few levels deep.
  for (let depth = 0; depth < 5 && at !== undefined && at !== null; depth++) {
    const text = textOf(at)
    if (text !== "" && !texts.includes(text)) texts.push(text)
    at = at instanceof Error ? at.cause : undefined
  }
  return (texts.join(": ") || "no connection").replaceAll(secret, "<redacted>")
}

// internal

const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  // Failed connections to several addresses result in an AggregateError without a message.
  if (error.message === "" && error instanceof AggregateError) {
    return error.errors.map(textOf).join(", ")
  }
  return error.message
}

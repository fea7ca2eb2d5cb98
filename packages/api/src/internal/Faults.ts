/** What a transport said when it failed. Without Effect: both clients show it. */

/** The messages of an error and of what caused it, without the secret. */
export const faultText = (error: unknown, secret: string): string => {
  const texts: Array<string> = []
  let at = error
  // Few levels are ever there; the bound is for causes that go round.
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
  // What several addresses answered has no message of its own.
  if (error.message === "" && error instanceof AggregateError) {
    return error.errors.map(textOf).join(", ")
  }
  return error.message
}

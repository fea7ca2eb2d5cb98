/** Sites that may show the dashboard in a frame. */

/** Accepts `'self'` and origins. A semicolon in another text would end the directive, and weaken the policy. */
export const checked = (sources: ReadonlyArray<string>): ReadonlyArray<string> => {
  const wrong = sources.find((source) => !isSource.test(source))
  if (wrong === undefined) return sources
  throw new TypeError(
    `frameAncestors must contain 'self' or origins such as https://app.example.com, not ${JSON.stringify(wrong)}`,
  )
}

// internal

const isSource = /^(?:'self'|https?:\/\/(?:\*\.)?[\w.-]+(?::\d{1,5})?)$/

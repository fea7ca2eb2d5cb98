/** The media type of problem documents. */
export const problemMediaType = "application/problem+json"

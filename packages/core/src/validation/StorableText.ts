/** Validation of texts. Has no imports, because browsers use it too. */

/** Returns true if every storage can store the text: no NUL and no lone surrogate. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

/** The message for a text that is not storable. */
export const notStorable = "contains characters that cannot be stored"

/** The message for a text without visible characters. */
export const blank = "can't be blank"

/** The message for a text that is too long. Lengths are in UTF-16 units. */
export const tooLong = (maximum: number): string => `is too long (maximum is ${maximum} characters)`

/** Returns the problem with a required text, or null. */
export const textProblem = (text: string, maximum: number): string | null => {
  if (!isStorable(text)) return notStorable
  if (text.trim() === "") return blank
  return text.length > maximum ? tooLong(maximum) : null
}

/** Replaces characters that are not storable, so that a storage can search for the text. It finds nothing then. */
export const toStorable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "\uFFFD")

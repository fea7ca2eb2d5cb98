/** What every text must be that people give and storages keep. Without imports: callers in browsers check as well. */

/** Whether every storage can keep the text: it has no NUL and no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text)

/** The message about a text that a store cannot keep. */
export const notStorable = "contains characters that cannot be stored"

/** The message about a text without a visible character. */
export const blank = "can't be blank"

/** Lengths are in UTF-16 units. */
export const tooLong = (maximum: number): string => `is too long (maximum is ${maximum} characters)`

/** What is wrong with a text that has to say something; null where nothing is. */
export const textProblem = (text: string, maximum: number): string | null => {
  if (!isStorable(text)) return notStorable
  if (text.trim() === "") return blank
  return text.length > maximum ? tooLong(maximum) : null
}

/** The text as a storage can be asked for it: what cannot be stored is found nowhere, and neither is what it becomes. */
export const toStorable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, "\uFFFD")

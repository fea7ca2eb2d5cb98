/** The rule for addresses of users. */
import { isStorable } from "../validation/StorableText.js"

const maxLength = 200

/** True for a text like `name@host` of at most 200 characters, without spaces around or inside. */
export const isEmailAddress = (text: string): boolean =>
  isStorable(text) && text.length <= maxLength && /^[^\s@]+@[^\s@]+$/.test(text)

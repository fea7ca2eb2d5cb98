/** Titles of errors in one line. */
import { cut, line } from "./SafeText.js"

/** An error as lists show it: a group, a report or a notification. Both texts may be empty. */
export interface Titled {
  readonly error_type: string
  readonly error_message: string
}

/** Returns type and message, e.g. `TypeError: x is not a function`. */
export const errorTitle = ({ error_message, error_type }: Titled, maximum = 200): string =>
  line(cut([error_type, error_message].filter((part) => part !== "").join(": "), maximum)) || unnamed

/** Returns the type, or the message of an error without a type. */
export const errorName = ({ error_message, error_type }: Titled, maximum = 120): string =>
  line(cut(error_type || error_message, maximum)) || unnamed

// internal

const unnamed = "Unnamed error"

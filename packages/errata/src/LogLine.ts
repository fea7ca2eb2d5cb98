/** A line of the log. */
export interface LogLine {
  readonly level: "debug" | "info" | "warning" | "error" | "fatal"
  readonly message: string
  /** The error with its stack, or an empty string. */
  readonly cause: string
  readonly at: Date
}

/** A line of the log. */
export interface LogLine {
  readonly level: "debug" | "info" | "warning" | "error" | "fatal"
  readonly message: string
  /** What went wrong, with its stack; empty where nothing did. */
  readonly cause: string
  readonly at: Date
}

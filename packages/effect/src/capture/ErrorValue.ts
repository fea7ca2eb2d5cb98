/** Errors of other realms, such as those of Jest's tests, have other classes. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === "[object Error]"

export const isAggregate = (value: unknown): value is AggregateError =>
  value instanceof AggregateError || (isError(value) && value.constructor?.name === "AggregateError")

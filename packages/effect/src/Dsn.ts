/** The address of a project and its key, as servers print them. */
import { Data, Redacted, Result } from "effect"

export interface Dsn {
  /** Envelopes are posted there. */
  readonly url: string
  readonly key: string
}

/** The DSN is not of the form `https://KEY@HOST/PROJECT`. */
export class InvalidDsn extends Data.TaggedError("InvalidDsn")<{ readonly message: string }> {}

/** Reads a DSN. The failure does not show it, because it contains a key. */
export const parse = (dsn: string | Redacted.Redacted<string>): Result.Result<Dsn, InvalidDsn> => {
  const text = (Redacted.isRedacted(dsn) ? Redacted.value(dsn) : dsn).trim()
  const [, folder = "", project] =
    /^(.*)\/(\d+)\/?$/.exec(URL.canParse(text) ? new URL(text).pathname : "") ?? []
  if (project === undefined) return invalid
  const { host, protocol, username } = new URL(text)
  if (username === "" || !/^https?:$/.test(protocol)) return invalid
  return Result.succeed({
    url: `${protocol}//${host}${folder}/api/${project}/envelope/`,
    key: username,
  })
}

// internal

const invalid = Result.fail(
  new InvalidDsn({
    message: "The DSN is invalid. It has the form https://KEY@HOST/PROJECT, with a number as PROJECT.",
  }),
)

/** The settings of mail: a server, and a sender. */
import { Effect, Redacted, Schema } from "effect"
import addressparser from "nodemailer/lib/addressparser"

/** The mail server of an instance, and the sender of its mail. */
export interface MailSettings {
  /**
   * `smtp://user:password@host:587`, or `smtps://` for TLS from the start (port 465 if none is given). Characters such as `@`
   * and `/` in the password are percent-encoded.
   */
  readonly url: Redacted.Redacted
  /** The sender: `errata@example.com`, or `Errata <errata@example.com>`. */
  readonly from: string
  readonly tls?: MailTlsSettings
  /** Maximum number of connections. Default: 3. */
  readonly maxConnections?: number
}

/** The encryption of the connection to the mail server. */
export interface MailTlsSettings {
  /** `false` accepts any certificate, also of a server that only pretends to be the mail server. */
  readonly rejectUnauthorized?: boolean
  /** Certificates of authorities in PEM, in place of those of Node. */
  readonly ca?: string
  /**
   * Refuses servers without TLS. Without this setting, only a URL with a password and another host does so: no password is sent
   * in the clear.
   */
  readonly required?: boolean
}

/** The settings of mail cannot be used. */
export class MailSettingsInvalid extends Schema.TaggedError<MailSettingsInvalid>()("MailSettingsInvalid", {
  field: Schema.Literals(["url", "from", "maxConnections"]),
  /** Follows the name of the setting, such as "must begin with smtp:// or smtps://". Contains no password. */
  reason: Schema.String,
}) {}

/** A mail server, as its URL describes it. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** The connection begins with TLS. */
  readonly isSecure: boolean
  readonly requiresTls: boolean
  readonly credentials: { readonly user: string; readonly password: Redacted.Redacted } | null
  readonly tls: MailTlsSettings
  readonly maxConnections: number
}

/** A sender with the parts of its address. */
export interface MailSender {
  readonly name: string
  readonly address: string
  readonly domain: string
}

/** Reads the settings. */
export const read = Effect.fn("MailSettings.read")(function* (settings: MailSettings) {
  const { maxConnections = 3 } = settings
  if (!Number.isSafeInteger(maxConnections) || maxConnections < 1 || maxConnections > 100)
    return yield* invalid("maxConnections", "must be a whole number from 1 to 100")
  return { server: yield* readServer(settings, maxConnections), sender: yield* readSender(settings.from) }
})

/** Accepts one address without a name: `ann@example.com`. */
export const isAddress = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  const local = text.slice(0, Math.max(0, at))
  const domain = text.slice(at + 1)
  return (
    text.length <= 254 &&
    local.length <= 64 &&
    /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(local) &&
    /^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(
      domain,
    )
  )
}

// internal

const invalid = (field: MailSettingsInvalid["field"], reason: string) =>
  Effect.fail(new MailSettingsInvalid({ field, reason }))

const readServer = Effect.fnUntraced(function* (settings: MailSettings, maxConnections: number) {
  const text = Redacted.value(settings.url)
  const isSecure = /^smtps:/i.test(text)
  if (!/^smtps?:\/\//i.test(text)) return yield* invalid("url", "must begin with smtp:// or smtps://")
  // The parser handles hosts and ports of known protocols only.
  const http = text.replace(/^smtps?:/i, "http:")
  if (!URL.canParse(http))
    return yield* invalid("url", "must be a URL such as smtp://user:password@mail.example.com:587")
  const { hash, hostname, password, pathname, port, search, username } = new URL(http)
  if (pathname !== "/" || search !== "" || hash !== "")
    return yield* invalid("url", "must end after the host and port; encode / in the password as %2F")
  if ((username === "") !== (password === ""))
    return yield* invalid("url", "must have a user name and a password, or neither")
  const credentials = yield* Effect.try({
    try: () =>
      username === ""
        ? null
        : { user: decodeURIComponent(username), password: Redacted.make(decodeURIComponent(password)) },
    catch: () =>
      new MailSettingsInvalid({ field: "url", reason: "has a % in the password; encode it as %25" }),
  })
  const host = hostname.replace(/^\[|\]$/g, "")
  const tls = settings.tls ?? {}
  const server: MailServer = {
    host,
    // The parser drops port 80, the default of the protocol that it parses in place of SMTP.
    port: port === "" ? (/:80\/?$/.test(text) ? 80 : isSecure ? 465 : 587) : Number(port),
    isSecure,
    requiresTls: tls.required ?? (credentials !== null && !isLoopback(host)),
    credentials,
    tls,
    maxConnections,
  }
  return server
})

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host)

const readSender = (text: string): Effect.Effect<MailSender, MailSettingsInvalid> => {
  const [sender, ...others] = addressparser(text, { flatten: true })
  const address = sender?.address ?? ""
  return others.length > 0 || /[\p{Cc}]/u.test(text) || !isAddress(address)
    ? invalid("from", "must be an address such as errata@example.com, or Errata <errata@example.com>")
    : Effect.succeed({
        name: sender?.name ?? "",
        address,
        domain: address.slice(address.lastIndexOf("@") + 1),
      })
}

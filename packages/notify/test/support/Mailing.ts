/** Sends mail with the target, as the dispatcher does. */
import type { Notification } from "@errata/core"
import { type NotificationFailed, OutboundClient, type SendAnswer } from "@errata/core/ports"
import { Duration, Effect, Redacted } from "effect"
import { type Mail, type MailSettings, mail } from "../../src/index.js"
import { samples } from "./Samples.js"

/** The settings for a server on this machine. */
export const settingsFor = (port: number, more: Partial<MailSettings> = {}): MailSettings => ({
  url: Redacted.make(`smtp://127.0.0.1:${port}`),
  from: "Errata <errata@mail.example.com>",
  ...more,
})

/** Runs with a sender of mail, and closes its connections afterwards. */
export const withMail = <A>(
  settings: MailSettings,
  use: (mail: Mail) => Effect.Effect<A, NotificationFailed>,
): Promise<A> =>
  Effect.gen(function* () {
    return yield* use(yield* mail(settings))
  }).pipe(Effect.scoped, Effect.runPromise)

/** Sends a notification. */
export const send = (
  { target }: Mail,
  {
    notification = samples.alert,
    to = "ann@example.com",
    unsubscribeUrl = null,
  }: {
    readonly notification?: Notification
    readonly to?: string
    readonly unsubscribeUrl?: string | null
  } = {},
): Effect.Effect<SendAnswer, NotificationFailed> =>
  target.send(notification, { to }, { timeout: Duration.seconds(10), unsubscribeUrl }).pipe(
    Effect.provideService(
      OutboundClient,
      OutboundClient.of({
        send: () => Effect.die("mail makes no requests"),
        download: () => Effect.die("mail makes no requests"),
      }),
    ),
  )

/** Sends one notification that must fail; returns the failure. */
export const failureOf = (
  settings: MailSettings,
  options: Parameters<typeof send>[1] = {},
): Promise<NotificationFailed> =>
  withMail(settings, (made) => Effect.flip(send(made, options)) as Effect.Effect<NotificationFailed>)

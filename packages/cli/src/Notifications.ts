/** The targets of notifications, and the sender of mail. */
import { layer } from "@errata/notify"
import { Effect, Layer } from "effect"
import { usageError } from "./ErrorOutput.js"
import type { MailChoice } from "./ServerChoice.js"

/** Provides the targets, and mail if it is configured. Closing the scope closes the connections to the mail server. */
export const layerOf = (mail: MailChoice | null) =>
  layer({ smtp: mail === null ? null : { url: mail.url, from: mail.from } }).pipe(
    Layer.catch((error) =>
      Layer.effectDiscard(
        // The reason contains no password.
        Effect.suspend(() =>
          usageError(`${mail === null ? error.field : nameOf(mail, error.field)} ${error.reason}`),
        ),
      ),
    ),
  )

// internal

const nameOf = ({ names }: MailChoice, field: string): string => (field === "from" ? names.from : names.url)

/** Sends a delivery's message again. */
import type { Delivery, Webhook } from "@errata/api/promise"
import { useState } from "preact/hooks"
import { notify, notifyFailure } from "../../data/notices.js"
import { resend } from "../../data/webhooks.js"
import { outcomeOf } from "./outcome.js"

export const Resend = ({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) => {
  const [isSending, setSending] = useState(false)
  const send = async () => {
    if (isSending) return
    setSending(true)
    try {
      const result = await resend(webhook.project_id, delivery)
      notify(`${result.success ? "Sent it again." : "The message was not delivered."} ${outcomeOf(result)}`)
    } catch (error) {
      notifyFailure("The message was not sent again.", error)
    }
    setSending(false)
  }
  return (
    <button
      type="button"
      aria-label={`Resend ${delivery.event}, delivery ${delivery.id}`}
      aria-disabled={isSending}
      onClick={send}
    >
      {isSending ? "Sending…" : "Resend"}
    </button>
  )
}

/** Sends a delivery's message again. */
import type { Delivery, Webhook } from "@errata/api/promise"
import { notify } from "../../data/notices.js"
import { resend } from "../../data/webhooks.js"
import { useAction } from "../../parts/useAction.js"
import { outcomeOf } from "./outcome.js"

export const Resend = ({ webhook, delivery }: { readonly webhook: Webhook; readonly delivery: Delivery }) => {
  const { isBusy, run } = useAction("The message was not sent again.")
  const send = () =>
    run(async () => {
      const result = await resend(webhook.project_id, delivery)
      notify(`${result.success ? "Sent it again." : "The message was not delivered."} ${outcomeOf(result)}`)
    })
  return (
    <button
      type="button"
      aria-label={`Resend ${delivery.event}, delivery ${delivery.id}`}
      aria-disabled={isBusy}
      onClick={send}
    >
      {isBusy ? "Sending…" : "Resend"}
    </button>
  )
}

/** An address that each target accepts. */
import type { TargetAddress } from "@errata/core/ports"

export const addresses: Readonly<Record<string, TargetAddress>> = {
  slack: { url: "https://hooks.slack.com/services/T0001/B0001/abcDEF123" },
  discord: { url: "https://discord.com/api/webhooks/1234567890/abc-DEF_123" },
  teams: {
    url: "https://prod-12.westeurope.logic.azure.com:443/workflows/0a1b2c/triggers/manual/paths/invoke?api-version=2016-06-01&sig=abc",
  },
  mattermost: { url: "https://chat.example.com/hooks/abcdef123456" },
  google_chat: { url: "https://chat.googleapis.com/v1/spaces/AAAA0/messages?key=k1&token=t1" },
  telegram: { token: "123456789:AAabcdefghijklmnopqrstuvwxyz0123456", chat_id: "-1001234567890" },
  pagerduty: { routing_key: "0123456789abcdef0123456789abcdef" },
  ntfy: { url: "https://ntfy.sh/errata-x7Kq2mP9" },
}

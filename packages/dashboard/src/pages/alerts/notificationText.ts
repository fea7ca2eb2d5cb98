/** Notifications in words. */
import type { Notification } from "@errata/api/promise"
import { cut, line } from "../../text/SafeText.js"
import { outcomeOf } from "../settings/outcome.js"
import { capital } from "./ruleText.js"

/** States that the history can be filtered by. */
export const states = [
  ["succeeded", "Delivered"],
  ["failed", "Failed"],
  ["throttled", "Held back"],
  ["pending", "Waiting"],
] as const

/** The state in one or two words, and its color. */
export const stateOf = ({ attempts, status }: Pick<Notification, "attempts" | "status">) => {
  switch (status) {
    case "succeeded":
      return { text: "Delivered", tone: "ok" } as const
    case "failed":
      return { text: "Failed", tone: "bad" } as const
    case "throttled":
      return { text: "Held back", tone: "" } as const
    case "pending":
      return attempts === 0
        ? ({ text: "Waiting", tone: "" } as const)
        : ({ text: "Retrying", tone: "warn" } as const)
  }
}

/** Returns the reason why a message did not arrive (yet); empty for one that did. */
export const problemOf = (notification: Notification): string => {
  const { attempts, error, status } = notification
  if (status === "succeeded" || (status === "pending" && attempts === 0)) return ""
  if (status !== "throttled") return line(cut(outcomeOf(notification), 300))
  return error === null ? "" : line(cut(`${capital(error)}.`, 300))
}

/** Returns the receiver, e.g. `Ops on call` or `members: ann@example.com`. */
export const receiverOf = ({ recipient, target_kind, target_name }: Notification): string => {
  const name = target_kind === "members" ? "members by mail" : line(cut(target_name, 100))
  return recipient === null ? name : `${name}: ${line(cut(recipient, 100))}`
}

/** Failures of requests to receivers, as people read them in the delivery history. */
import type { OutboundFailed, OutboundRefused } from "../outbound/OutboundClient.js"

/** The text for a receiver whose address is not allowed. */
export const ofRefusal = ({ reason }: OutboundRefused): string => refusals[reason]

/** The text for a request without a response. */
export const ofFailure = ({ detail, reason }: OutboundFailed): string => {
  switch (reason) {
    case "timeout":
      return "the receiver did not respond in time"
    case "name_not_found":
      return "the receiver's host name was not found"
    case "connection":
      return `the connection failed: ${detail}`
    case "tls":
      return `the TLS connection failed: ${detail}`
    case "protocol":
      return `the receiver did not respond in HTTP: ${detail}`
  }
}

/** The text for an unsuccessful response. */
export const ofStatus = (status: number): string => `the receiver responded with ${status}`

// internal

const refusals: Readonly<Record<OutboundRefused["reason"], string>> = {
  private_address: "the receiver's address is not public (see ERRATA_ALLOW_PRIVATE_ADDRESSES)",
  invalid_url: "the receiver's URL cannot be used",
}

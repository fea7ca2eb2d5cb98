/** Whom requests may reach, and whose certificates they believe. Only tests have others than these. */
import { Context } from "effect"
import { isPublic } from "./PublicAddress.js"

/** Which addresses may be reached where not all may. */
export const AddressRule = Context.Reference("@errata/http/outbound/AddressRule", {
  defaultValue: (): ((address: string) => boolean) => isPublic,
})

/** Authorities in PEM, in place of those that Node knows; undefined for Node's. */
export const CertificateAuthorities = Context.Reference("@errata/http/outbound/CertificateAuthorities", {
  defaultValue: (): string | undefined => undefined,
})

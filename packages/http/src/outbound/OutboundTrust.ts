/** Allowed addresses and trusted certificate authorities. Only tests replace them. */
import { Context } from "effect"
import { isPublic } from "./PublicAddress.js"

/** Returns true for addresses that are allowed if `allowPrivateAddresses` is off. */
export const AddressRule = Context.Reference("@errata/http/outbound/AddressRule", {
  defaultValue: (): ((address: string) => boolean) => isPublic,
})

/** Certificate authorities in PEM in place of Node's. Undefined for Node's. */
export const CertificateAuthorities = Context.Reference("@errata/http/outbound/CertificateAuthorities", {
  defaultValue: (): string | undefined => undefined,
})

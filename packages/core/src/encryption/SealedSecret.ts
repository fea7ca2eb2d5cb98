import { Schema } from "effect"

/** `v1.KEY.DATA`: the id of the key, and base64url of a nonce of 12 bytes, the AES-256-GCM ciphertext and its tag of 16. */
export const SealedSecret = Schema.String.pipe(Schema.brand("SealedSecret"))
export type SealedSecret = typeof SealedSecret.Type

/** The id of the key that sealed a secret. */
export const keyIdOf = (sealed: SealedSecret): string => sealed.split(".")[1] ?? ""

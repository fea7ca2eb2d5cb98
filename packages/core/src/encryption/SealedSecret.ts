import { Schema } from "effect"

/** `v1.KEY.DATA`: the key id, then base64url of a 12-byte nonce, the AES-256-GCM ciphertext and a 16-byte tag. */
export const SealedSecret = Schema.String.pipe(Schema.brand("SealedSecret"))
export type SealedSecret = typeof SealedSecret.Type

/** The id of the key that encrypted a secret. */
export const keyIdOf = (sealed: SealedSecret): string => sealed.split(".")[1] ?? ""

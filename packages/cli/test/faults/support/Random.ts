/** Incompressible text, the same on every run. */
import { createHash } from "node:crypto"

export const text = (seed: string, length: number): string => {
  let out = ""
  for (let block = 0; out.length < length; block++) {
    out += createHash("sha512").update(`${seed}/${block}`).digest("base64url")
  }
  return out.slice(0, length)
}

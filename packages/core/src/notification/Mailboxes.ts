/** The mail addresses of a target. */
import { mailKind, type Target } from "./Target.js"

/** The addresses of a target of the kind `mail`; none for other kinds. */
export const of = ({ address, kind }: Pick<Target, "address" | "kind">): ReadonlyArray<string> =>
  kind === mailKind ? split(address["to"] ?? "") : []

/** A list of addresses with commas between. */
export const split = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")

/** The text of a list of addresses. */
export const join = (addresses: ReadonlyArray<string>): string => addresses.join(", ")

import type { ComponentChildren } from "preact"
import { href } from "../data/root.js"

/** A link to a page of the app: `<Link to="projects/1/groups">`. */
export const Link = ({ to, ...rest }: Props) => <a href={href(to)} {...rest} />

// internal

interface Props {
  readonly to: string
  readonly children: ComponentChildren
  readonly id?: string | undefined
  readonly class?: string | undefined
  readonly title?: string | undefined
  readonly tabIndex?: number | undefined
  readonly "aria-current"?: "page" | "true" | undefined
  readonly "aria-label"?: string | undefined
}

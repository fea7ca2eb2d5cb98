import { Link } from "../../parts/Link.js"

/** A link to a neighbor: an arrow and its key. It is dimmed at the end, where there is none. */
export const Jump = ({
  letter,
  name,
  sign,
  to,
}: {
  /** Null if there is no neighbor. */
  readonly to: string | null
  readonly name: string
  readonly sign: string
  readonly letter?: string
}) => {
  const label = (
    <>
      {sign} {letter !== undefined && <kbd>{letter}</kbd>}
    </>
  )
  return to === null ? (
    <span class="jump off" aria-hidden="true">
      {label}
    </span>
  ) : (
    <Link class="jump" to={to} aria-label={name} title={name}>
      {label}
    </Link>
  )
}

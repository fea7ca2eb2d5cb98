/** The way to older entries of a list, and back to the newest. */
import { Link } from "./Link.js"

export const Pager = ({
  path,
  cursor,
  next,
}: {
  /** The path of the list, with its other parameters. */
  readonly path: string
  readonly cursor: number | undefined
  readonly next: number | null
}) => {
  if (cursor === undefined && next === null) return null
  const separator = path.includes("?") ? "&" : "?"
  return (
    <nav class="pager" aria-label="Pages of the list">
      {cursor !== undefined && (
        <Link class="button" to={path}>
          Newest
        </Link>
      )}
      {next !== null && (
        <Link class="button" to={`${path}${separator}cursor=${next}`}>
          Older
        </Link>
      )}
    </nav>
  )
}

/** Returns the cursor of an address; undefined for the first page. */
export const cursorOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined

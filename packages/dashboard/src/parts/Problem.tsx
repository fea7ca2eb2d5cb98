import { correlationId, describe } from "../data/failure.js"
import "../styles/problem.css"

/** A failure where its content would stand. The rest of the page stays usable. */
export const Problem = ({
  title,
  error,
  retry,
}: {
  readonly title: string
  readonly error: unknown
  readonly retry?: () => void
}) => {
  const id = correlationId(error)
  return (
    <div class="problem" role="alert">
      <strong>{title}</strong>
      <p>{describe(error)}</p>
      {id !== null && (
        <p>
          Find <code>{id}</code> in the server's log.
        </p>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Retry
        </button>
      )}
    </div>
  )
}

import { correlationId, describe, isMissing } from "../data/failure.js"
import { retryFailed } from "../data/query.js"
import { Link } from "./Link.js"
import { focusHeading } from "./Page.js"
import "../styles/problem.css"

/** A failure in place of the content. The rest of the page stays usable. */
export const Problem = ({ title, error }: { readonly title: string; readonly error: unknown }) => {
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
      {isMissing(error) ? <Link to="projects">Projects</Link> : <Retry />}
    </div>
  )
}

/** Loads again all of the page that failed. It disappears with the failure, so the heading gets the focus. */
export const Retry = () => (
  <button
    type="button"
    onClick={() => {
      retryFailed()
      focusHeading()
    }}
  >
    Retry
  </button>
)

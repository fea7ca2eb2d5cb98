import { errorName, type Titled } from "../text/ErrorTitle.js"
import { cut, line } from "../text/SafeText.js"

/** The name of an error, and its message if that is not the name. */
export const ErrorTitle = ({ of }: { readonly of: Titled }) => (
  <>
    <b>{errorName(of)}</b> {of.error_type !== "" && <span>{line(cut(of.error_message, 300))}</span>}
  </>
)

import type { Row } from "../data/groups.js"
import "../styles/severity.css"

/** A severity as color, letter and word. */
export const Severity = ({ value }: { readonly value: Row["severity"] }) => (
  <span class={`severity ${value}`} title={value}>
    <span aria-hidden="true">{value.charAt(0).toUpperCase()}</span>
    <span class="visually-hidden">{value}</span>
  </span>
)

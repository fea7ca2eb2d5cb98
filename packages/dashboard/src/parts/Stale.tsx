import type { QueryObserverResult } from "@tanstack/query-core"
import { describe } from "../data/failure.js"
import { shortDateTime } from "../text/Times.js"
import { Retry } from "./Problem.js"
import { zone } from "./Time.js"
import "../styles/stale.css"

/** Warns that the data is old, because later requests failed. */
export const Stale = ({ query: { dataUpdatedAt, error } }: { readonly query: QueryObserverResult }) =>
  error === null ? null : (
    <div class="stale" role="status">
      <span>
        From {shortDateTime(new Date(dataUpdatedAt).toISOString(), zone.value)}. {describe(error)}
      </span>
      <Retry />
    </div>
  )

/** The result of a query, or its placeholder or problem. */
import type { QueryObserverResult } from "@tanstack/query-core"
import type { ComponentChildren } from "preact"
import { Problem } from "./Problem.js"
import { Skeleton } from "./Skeleton.js"
import { Stale } from "./Stale.js"

export const Loaded = <T,>({
  query,
  name,
  rows = 3,
  children,
}: {
  readonly query: QueryObserverResult<T>
  /** In the plural: `members`. */
  readonly name: string
  readonly rows?: number
  readonly children: (data: T) => ComponentChildren
}) => {
  const { data, error } = query
  if (data !== undefined) {
    return (
      <>
        <Stale query={query} />
        {children(data)}
      </>
    )
  }
  if (error === null) return <Skeleton rows={rows} label={`the ${name}`} />
  return <Problem title={`The ${name} were not loaded.`} error={error} />
}

/** A card with a heading. */
export const Card = ({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="card">
    <header class="card-head">
      <h2 class="grow">{title}</h2>
      {actions}
    </header>
    {children}
  </section>
)

/** The filter and the order of a list of groups, and the parameters that request it. */

export type Sort = "last_seen" | "newest" | "reports_count" | "users_count"

/** The state of a list, as its URL has it. */
export interface ListFilter {
  /** Null for all projects. */
  readonly projectId: number | null
  readonly query: string
  readonly sort: Sort
}

/** Reads the parameters of a page's URL. */
export const filterOf = (
  projectId: number | null,
  { query = "is:unresolved", sort }: { readonly [name: string]: string | undefined },
): ListFilter => ({ projectId, query, sort: sorts.find((each) => each === sort) ?? "last_seen" })

export const pageSize = 50

/** The parameters of a request for a page of groups. */
export const parametersOf = ({ query, sort }: ListFilter, cursor: number | null, limit: number) => ({
  ...(query === "" ? {} : { query }),
  ...(cursor === null ? {} : { cursor }),
  sort,
  include: "last_report" as const,
  limit,
})

// internal

const sorts: ReadonlyArray<Sort> = ["last_seen", "newest", "reports_count", "users_count"]

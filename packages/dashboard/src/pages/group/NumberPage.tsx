/** Leads from the number of a group to its page, in whichever project it is. */
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { findGroupQuery } from "../../data/findGroup.js"
import type { GroupRef } from "../../data/groups.js"
import { useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import { groupPath } from "../../data/trail.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"

export const NumberPage = ({ params }: { readonly params?: { readonly group?: string } }) => {
  const id = Number(params?.group)
  const { route } = useLocation()
  const { data, error } = useQuery<GroupRef | null>(findGroupQuery(id))
  useEffect(() => {
    if (data != null) route(href(groupPath(data)), true)
  }, [data])
  return (
    <Page title={`Group ${id}`}>
      {error !== null ? (
        <Problem title="The group could not be found." error={error} />
      ) : data === null ? (
        <p>None of your projects has a group of this number. It may have been discarded.</p>
      ) : (
        <Skeleton label="the group" />
      )}
    </Page>
  )
}

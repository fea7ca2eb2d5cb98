/** The last notification about a group. */
import { useProjectAccess } from "../../data/projects.js"
import { useQuery } from "../../data/query.js"
import { notificationsQuery } from "../../data/targets.js"
import { Link } from "../../parts/Link.js"
import { Time } from "../../parts/Time.js"
import { cut, line } from "../../text/SafeText.js"
import type { GroupIds } from "./paths.js"

/** Empty before the first notification, and if the history cannot be read. */
export const Notified = ({ ids: { groupId, projectId } }: { readonly ids: GroupIds }) => {
  const filter = { group_id: groupId, status: "succeeded" } as const
  const { data } = useQuery({
    ...notificationsQuery(projectId, filter, undefined, 1),
    enabled: useProjectAccess(projectId)("alerts.read"),
  })
  const last = data?.notifications[0]
  if (last === undefined) return null
  return (
    <p class="note">
      Notified <Time value={last.created_at} />: {line(cut(last.reason, 100))}.{" "}
      <Link to={`projects/${projectId}/settings/alerts/history?group_id=${groupId}`}>All notifications</Link>
    </p>
  )
}

/** Tags that the reports of a group share. A click on one lists the groups that have it. */

import type { TagDistribution } from "@errata/api/promise"
import { useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import { groupTagsQuery } from "../../data/tags.js"
import { Link } from "../../parts/Link.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { count, counted, share } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { type GroupIds, groupPathOf, tagPath } from "./paths.js"

/** The most useful keys, beside the report, with a link to all of them. */
export const Distribution = ({
  ids,
  reports,
}: {
  readonly ids: GroupIds
  readonly reports: number | undefined
}) => {
  const { data, error } = useQuery(groupTagsQuery(ids.projectId, ids.groupId))
  return (
    <section class="card" aria-labelledby="distribution-title">
      <div class="card-head">
        <h2 id="distribution-title">
          Across {reports === undefined ? "all reports" : counted(reports, "report")}
        </h2>
      </div>
      {error !== null && <Problem title="The tags could not be loaded." error={error} />}
      {data === undefined && error === null && <Skeleton rows={8} label="the tags" />}
      {data?.length === 0 && <p class="nothing">No report of this group has tags.</p>}
      {data !== undefined &&
        tellingFirst(data)
          .slice(0, 5)
          .map((tag) => <KeyBars key={tag.key} ids={ids} tag={tag} most={3} />)}
      {data !== undefined && data.length > 0 && (
        <Link to={groupPathOf(ids, "/tags")} class="card-foot">
          {data.length === 1 ? "The tag in full" : `All ${count(data.length)} tags`}
        </Link>
      )}
    </section>
  )
}

/** A key with its most frequent values as bars. */
export const KeyBars = ({
  hasMore = true,
  ids,
  most,
  tag,
}: {
  readonly ids: GroupIds
  readonly tag: TagDistribution
  readonly most: number
  /** Links to the hidden values. */
  readonly hasMore?: boolean
}) => {
  const shown = tag.values.slice(0, most)
  const rest = tag.values_count - shown.length
  return (
    <div class="dist">
      <h3>{line(cut(tag.key, 100))}</h3>
      <ul>
        {shown.map(({ reports_count, value }) => (
          <ValueBar
            key={value}
            ids={ids}
            tagKey={tag.key}
            value={value}
            part={reports_count}
            total={tag.reports_count}
          />
        ))}
      </ul>
      {hasMore && rest > 0 && (
        <Link to={groupPathOf(ids, `/tags/${encodeURIComponent(tag.key)}`)} class="dist-more">
          {count(rest)}
          {tag.values_count_capped ? "+" : ""} more {rest === 1 ? "value" : "values"}
        </Link>
      )}
    </div>
  )
}

export const ValueBar = ({
  ids,
  part,
  tagKey,
  total,
  value,
}: {
  readonly ids: GroupIds
  readonly tagKey: string
  readonly value: string
  readonly part: number
  readonly total: number
}) => (
  <li>
    <a
      href={href(tagPath(ids.projectId, tagKey, value))}
      class="dist-bar"
      style={{ "--share": `${Math.min(100, (part / Math.max(1, total)) * 100)}%` }}
      title={`${line(cut(value, 300))}: ${counted(part, "report")}. Lists the groups with this tag`}
    >
      <span>{value === "" ? "empty" : line(cut(value, 200))}</span>
      <span class="num">{share(part, total)}</span>
    </a>
  </li>
)

// internal

const telling = ["environment", "release", "browser", "os", "device", "server_name"]

/** Well-known keys first, then those on most reports. */
const tellingFirst = (tags: ReadonlyArray<TagDistribution>): ReadonlyArray<TagDistribution> => {
  const rank = ({ key }: TagDistribution) => (telling.includes(key) ? telling.indexOf(key) : telling.length)
  return [...tags].sort((a, b) => rank(a) - rank(b) || b.reports_count - a.reports_count)
}

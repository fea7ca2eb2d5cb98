/** All tags of a group's reports, and all values of one. */

import { useState } from "preact/hooks"
import { useQuery } from "../../data/query.js"
import { groupTagsQuery, tagValuesQuery } from "../../data/tags.js"
import { Link } from "../../parts/Link.js"
import { Pages, rowOf } from "../../parts/Pages.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { count, counted, share } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { KeyBars } from "./Distribution.js"
import { type GroupIds, groupPathOf, tagPath } from "./paths.js"

export const TagsTab = ({ ids }: { readonly ids: GroupIds }) => {
  const { data, error } = useQuery(groupTagsQuery(ids.projectId, ids.groupId))
  const [wanted, want] = useState("")
  const [shown, show] = useState(100)
  if (data === undefined) {
    return error === null ? (
      <Skeleton label="the tags" />
    ) : (
      <Problem title="The tags could not be loaded." error={error} />
    )
  }
  if (data.length === 0) return <p class="nothing">No report of this group has tags.</p>
  const found = data.filter(({ key }) => key.toLowerCase().includes(wanted.toLowerCase()))
  return (
    <>
      {data.length > 12 && (
        <input
          type="search"
          class="tag-search"
          placeholder="Find a tag"
          aria-label="Find a tag"
          value={wanted}
          onInput={({ currentTarget }) => want(currentTarget.value)}
        />
      )}
      <div class="tag-grid">
        {found.slice(0, shown).map((tag) => (
          <section key={tag.key} class="card" aria-label={line(cut(tag.key, 100))}>
            <KeyBars ids={ids} tag={tag} most={5} hasMore={false} />
            <Link to={groupPathOf(ids, `/tags/${encodeURIComponent(tag.key)}`)} class="card-foot">
              {counted(tag.values_count, "value")}
              {tag.values_count_capped ? " or more" : ""} on {counted(tag.reports_count, "report")}
            </Link>
          </section>
        ))}
      </div>
      {found.length > shown && (
        <button type="button" class="more-rows" onClick={() => show(shown + 100)}>
          {counted(found.length - shown, "more tag")}
        </button>
      )}
    </>
  )
}

export const TagValuesTab = ({ ids, tagKey }: { readonly ids: GroupIds; readonly tagKey: string }) => {
  const tags = useQuery(groupTagsQuery(ids.projectId, ids.groupId))
  const total = tags.data?.find(({ key }) => key === tagKey)?.reports_count
  return (
    <section class="card" aria-labelledby="values-title">
      <div class="card-head">
        <h2 id="values-title" class="plain">
          {line(cut(tagKey, 200))}
        </h2>
        {total !== undefined && <span class="faint">on {counted(total, "report")}</span>}
        <span class="grow" />
        <Link to={groupPathOf(ids, "/tags")}>All tags</Link>
      </div>
      <table class="values">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col" class="right">
              Reports
            </th>
            <th scope="col" class="right">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          <Pages
            key={tagKey}
            queryOf={(cursor) => tagValuesQuery(ids.projectId, ids.groupId, tagKey, cursor)}
            name="values"
            rows={3}
            more="More values"
            entry={rowOf(3)}
          >
            {({ values }) =>
              values.map(({ reports_count, value }) => (
                <tr key={value}>
                  <td>
                    <Link to={tagPath(ids.projectId, tagKey, value)}>
                      {value === "" ? "empty" : line(cut(value, 500))}
                    </Link>
                  </td>
                  <td class="num right">{count(reports_count)}</td>
                  <td class="num right">{total === undefined ? "" : share(reports_count, total)}</td>
                </tr>
              ))
            }
          </Pages>
        </tbody>
      </table>
    </section>
  )
}

/** The releases of a project, with what was reported of them. */
import type { Release } from "@errata/api/promise"
import { useLocation } from "preact-iso/router"
import { useQuery } from "../../data/query.js"
import { releasesQuery } from "../../data/releases.js"
import { Link } from "../../parts/Link.js"
import { quoted } from "../../parts/query/QueryText.js"
import { Time } from "../../parts/Time.js"
import { count } from "../../text/Numbers.js"
import { cut, line } from "../../text/SafeText.js"
import { Card, Loaded } from "./Loaded.js"
import { cursorOf, Pager } from "./Pager.js"
import type { SectionProps } from "./SettingsPage.js"

export const Releases = ({ project }: SectionProps) => {
  const cursor = cursorOf(useLocation().query["cursor"])
  const releases = useQuery(releasesQuery(project.id, cursor))
  return (
    <>
      <p class="lead">
        Errata knows a release from the reports that name it, and from build tools. A release opens its
        groups.
      </p>
      <Card title="Releases">
        <Loaded query={releases} name="releases">
          {({ next_cursor, releases }) => (
            <>
              {releases.length === 0 ? (
                <p class="nothing">
                  No release is known. Set <code>release</code> in the SDK, and reports name the version that
                  they came from.
                </p>
              ) : (
                <Table releases={releases} />
              )}
              <Pager path={`projects/${project.id}/settings/releases`} cursor={cursor} next={next_cursor} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}

// internal

const Table = ({ releases }: { readonly releases: ReadonlyArray<Release> }) => (
  <div class="scroller">
    <table class="values">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col" class="right">
            New groups
          </th>
          <th scope="col" class="right">
            Groups
          </th>
          <th scope="col" class="right">
            Reports
          </th>
          <th scope="col">First report</th>
          <th scope="col">Last report</th>
          <th scope="col">Last deploy</th>
        </tr>
      </thead>
      <tbody>
        {releases.map((release) => (
          <tr key={release.id}>
            <td>
              <Link
                class="row-link"
                to={`projects/${release.project_id}/groups?query=${encodeURIComponent(`release:${quoted(release.version)}`)}`}
              >
                {line(cut(release.version, 80))}
              </Link>
              {release.status === "archived" && <span class="tag">archived</span>}
            </td>
            <td class="right num">{count(release.new_groups_count)}</td>
            <td class="right num">{count(release.groups_count)}</td>
            <td class="right num">{count(release.reports_count)}</td>
            <Moment value={release.first_seen_at} />
            <Moment value={release.last_seen_at} />
            <Moment value={release.last_deployed_at} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Moment = ({ value }: { readonly value: string | null }) => (
  <td class="nowrap">{value === null ? <span class="faint">never</span> : <Time value={value} />}</td>
)

/** The releases of a project and their numbers of reports. */
import type { Release } from "@errata/api/promise"
import { useLocation } from "preact-iso/router"
import { useQuery } from "../../data/query.js"
import { releasesQuery } from "../../data/releases.js"
import { Link } from "../../parts/Link.js"
import { Card, Loaded } from "../../parts/Loaded.js"
import { cursorOf, Pager } from "../../parts/Pager.js"
import { quoted } from "../../parts/query/QueryText.js"
import { Time } from "../../parts/Time.js"
import { count, counted } from "../../text/Numbers.js"
import { cut, isWebAddress, line } from "../../text/SafeText.js"
import type { SectionProps } from "./SectionProps.js"

export const Releases = ({ project }: SectionProps) => {
  const cursor = cursorOf(useLocation().query["cursor"])
  const releases = useQuery(releasesQuery(project.id, cursor))
  return (
    <>
      <p class="lead">Reports and build tools name releases. Choose a release to see its groups.</p>
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
                <ul class="rows">
                  {releases.map((release) => (
                    <Row key={release.id} release={release} />
                  ))}
                </ul>
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

const Row = ({ release }: { readonly release: Release }) => (
  <li>
    <div class="grow">
      <Link
        class="row-link"
        to={`projects/${release.project_id}/groups?query=${encodeURIComponent(`release:${quoted(release.version)}`)}`}
      >
        {line(cut(release.version, 120))}
      </Link>{" "}
      {release.status === "archived" && <span class="tag">archived</span>}
      <Facts release={release} />
    </div>
    <p class="figures num">
      {counted(release.reports_count, "report")}
      <span class="faint">
        {counted(release.groups_count, "group")}, {count(release.new_groups_count)} new
      </span>
    </p>
  </li>
)

/** Reports, deploys and commits of the release, and the page of its build. */
const Facts = ({ release }: { readonly release: Release }) => {
  const { commits_count: commits, deploys_count: deploys, url } = release
  const parts = [
    release.first_seen_at === null ? (
      "No report yet"
    ) : (
      <>
        First report <Time value={release.first_seen_at} />
      </>
    ),
    release.last_seen_at !== null && (
      <>
        last report <Time value={release.last_seen_at} />
      </>
    ),
    release.last_deployed_at !== null && (
      <>
        deployed <Time value={release.last_deployed_at} />
      </>
    ),
    deploys > 1 && counted(deploys, "deploy"),
    commits > 0 && counted(commits, "commit"),
    release.last_commit !== null && <code>{line(release.last_commit.slice(0, 12))}</code>,
    release.ref !== null && line(cut(release.ref, 60)),
    url !== null && isWebAddress(url) && (
      <a href={url} target="_blank" rel="noreferrer noopener">
        page of the release
      </a>
    ),
  ].filter((part) => part !== false)
  return (
    <p class="faint">
      {parts.map((part, i) => (
        <span key={i}>
          {i > 0 && " · "}
          {part}
        </span>
      ))}
    </p>
  )
}

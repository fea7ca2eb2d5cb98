import type { ReleaseAppearance } from "@errata/api/promise"
import { fetchHours } from "../../data/activity.js"
import { newestReleasesQuery } from "../../data/newestReleases.js"
import { pollEvery, useQuery } from "../../data/query.js"
import { clock } from "../../parts/Time.js"
import { cut, line } from "../../text/SafeText.js"
import type { GroupIds } from "./paths.js"
import { answerOf, comparisonAt } from "./SinceRelease.js"

export const WorseSince = ({ ids }: { readonly ids: GroupIds }) => {
  const releases = useQuery(newestReleasesQuery(ids.projectId)).data ?? []
  const [newest] = releases
  return newest === undefined ? null : <Answer ids={ids} release={newest} isOnly={releases.length === 1} />
}

// internal

const Answer = ({
  ids,
  isOnly,
  release,
}: {
  readonly ids: GroupIds
  readonly release: ReleaseAppearance
  readonly isOnly: boolean
}) => {
  const { hours, since, until } = comparisonAt(release, clock.value)
  const { data, error } = useQuery({
    queryKey: ["activity", ids.projectId, [ids.groupId], since, until],
    queryFn: ({ signal }) => fetchHours(ids.projectId, ids.groupId, since, until, signal),
    enabled: hours > 0,
    refetchInterval: pollEvery(60_000),
  })
  const reports = hours === 0 ? [] : data?.series[0]?.reports
  return (
    <p class="facts-since">
      <b>Worse since {line(cut(release.version, 60))}?</b>{" "}
      {reports === undefined
        ? error === null
          ? "…"
          : "The counts could not be loaded."
        : answerOf(reports, hours, { isOnly })}
    </p>
  )
}

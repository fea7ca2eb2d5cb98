import type { Project } from "@errata/api/promise"
import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { projectActivityQuery } from "../../data/activity.js"
import { countGroups } from "../../data/groups.js"
import { pollEvery, useQuery } from "../../data/query.js"
import { SmallBars } from "../../parts/Bars.js"
import { Link } from "../../parts/Link.js"
import { zone } from "../../parts/Time.js"
import { count, shortCount } from "../../text/Numbers.js"
import { dateTime } from "../../text/Times.js"
import { periodOf, signedPercent } from "../groups/Comparison.js"
import { platformName } from "./Platforms.js"

/** A project with its reports of the last 24 hours, which are requested while the card is on the screen. */
export const ProjectCard = ({ project }: { readonly project: Project }) => {
  const { id, muted, muted_until, name, platform, reports_count } = project
  const isSilent = reports_count === 0
  const card = useRef<HTMLLIElement>(null)
  const enabled = useIsOnScreen(card) && !isSilent
  const activity = useQuery({ ...projectActivityQuery(id, 48), enabled }).data
  const open = useQuery({
    queryKey: ["count", id, "is:unresolved"],
    queryFn: ({ signal }) => countGroups(id, "is:unresolved", signal),
    enabled,
    refetchInterval: pollEvery(60_000),
  }).data
  const period = activity === undefined ? null : periodOf(activity, 24)
  return (
    <li ref={card} class="card project">
      <h2>
        <Link to={`projects/${id}/${isSilent ? "setup" : "groups"}`} class="name">
          {name}
        </Link>
        {platform !== "other" && <span class="tag">{platformName(platform)}</span>}
      </h2>
      <div class="trend" hidden={isSilent}>
        {period !== null && (
          <SmallBars series={{ since: period.since, step: "hour", reports: period.reports }} />
        )}
      </div>
      {isSilent ? (
        <p class="set-up">No report yet: set it up</p>
      ) : (
        <dl class="figures">
          <Figure value={period === null ? "—" : shortCount(period.total)} label="in 24 h" />
          <Figure
            value={open === undefined ? "—" : `${count(open.count)}${open.capped ? "+" : ""}`}
            label="open"
          />
          {period?.percent != null && <Figure value={signedPercent(period.percent)} label="vs. yesterday" />}
          {muted && (
            <Figure
              value="Muted"
              label={muted_until === null ? "without end" : `until ${dateTime(muted_until, zone.value)}`}
            />
          )}
        </dl>
      )}
    </li>
  )
}

// internal

/** True while an element is on the screen or less than its height away. */
const useIsOnScreen = (element: RefObject<HTMLElement | null>): boolean => {
  const [isOnScreen, setOnScreen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setOnScreen(entries.at(-1)?.isIntersecting === true),
      { rootMargin: "160px" },
    )
    if (element.current !== null) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isOnScreen
}

const Figure = ({ value, label }: { readonly value: string; readonly label: string }) => (
  <div>
    <dd class="num">{value}</dd>
    <dt>{label}</dt>
  </div>
)

/** The title and state of a group, the way back to the list, and the actions. */
import type { ReportDetail } from "@errata/api/promise"
import type { ComponentChildren } from "preact"
import type { GroupRef } from "../../data/groups.js"
import { useNames } from "../../data/me.js"
import { notesQuery } from "../../data/notes.js"
import { useProject } from "../../data/projects.js"
import { useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import { groupPath, trail } from "../../data/trail.js"
import { Text } from "../../parts/Text.js"
import { clock, zone } from "../../parts/Time.js"
import { errorName } from "../../text/ErrorTitle.js"
import { resolvedText } from "../../text/ReleaseText.js"
import { cut, line } from "../../text/SafeText.js"
import { Actions } from "./Actions.js"
import { Jump } from "./Jump.js"
import { type GroupIds, placeIn } from "./paths.js"
import type { ShownGroup } from "./ShownGroup.js"
import { muteText, reopenedIn } from "./state.js"

interface Props {
  readonly ids: GroupIds
  readonly heading: ComponentChildren
  readonly group: ShownGroup | undefined
  readonly report: ReportDetail | undefined
  readonly reportId: number | null
  readonly mayChange: boolean
}

export const Header = ({ group, heading, ids, mayChange, report, reportId }: Props) => (
  <>
    <Way ids={ids} />
    <div class={group === undefined ? "group-head loading" : "group-head"}>
      <div class="group-title">
        {heading}
        {group !== undefined && (
          <>
            {group.error_type !== "" && group.error_message !== "" && (
              <p class="group-message">
                <Text value={group.error_message} max={400} />
              </p>
            )}
            <p class="group-sub">
              {group.culprit !== "" && <span>{line(cut(group.culprit, 160))}</span>}
              <span>{group.severity}</span>
              {report !== undefined && <span>{report.handled ? "handled" : "unhandled"}</span>}
              <State ids={ids} group={group} />
            </p>
          </>
        )}
      </div>
      {group !== undefined && (
        <Actions ids={ids} group={group} reportId={reportId ?? report?.id ?? null} mayChange={mayChange} />
      )}
    </div>
  </>
)

/** The heading itself: the type of the error, with its severity as a color. */
export const HeadingText = ({ group }: { readonly group: ShownGroup }) => (
  <>
    <span class={`severity-mark ${group.severity}`} aria-hidden="true" />
    {errorName(group, 200)}
  </>
)

// internal

const pathOf = (group: GroupRef | undefined): string | null => (group === undefined ? null : groupPath(group))

/** Back to the list, and on in it. */
const Way = ({ ids }: { readonly ids: GroupIds }) => {
  const from = trail.value
  const place = placeIn(from, ids)
  const project = useProject(ids.projectId).data
  return (
    <nav class="way" aria-label="List of groups">
      {from !== null && place !== null ? (
        <a href={from.href}>‹ {from.label}</a>
      ) : (
        <a href={href(`projects/${ids.projectId}/groups`)}>‹ {project?.name ?? "Groups"}</a>
      )}
      {place !== null && (
        <>
          <span class="num">
            {place.position} of {from?.total ?? from?.groups.length}
          </span>
          <Jump to={pathOf(place.previous)} name="Previous group" sign="↑" letter="K" />
          <Jump to={pathOf(place.next)} name="Next group" sign="↓" letter="J" />
        </>
      )}
    </nav>
  )
}

const State = ({ group, ids }: { readonly ids: GroupIds; readonly group: ShownGroup }) => {
  const notes = useQuery(notesQuery(ids.projectId, ids.groupId)).data?.notes ?? []
  const nameOf = useNames()
  const reopened = reopenedIn(group, notes)
  const muted = muteText(group, clock.value, zone.value)
  const resolved = resolvedText(group)
  const assignee = nameOf(group.assignee_id)
  return (
    <>
      {assignee !== null && <span class="tag">@{line(cut(assignee, 60))}</span>}
      {resolved !== null && <span class="tag ok">{resolved}</span>}
      {reopened !== null && (
        <span class="tag warn">
          {reopened === "" ? "reopened" : `reopened in ${line(cut(reopened, 60))}`}
        </span>
      )}
      {muted !== null && <span class="tag">{muted}</span>}
      {group.issue_url != null && (
        <a href={group.issue_url} class="tag" target="_blank" rel="noreferrer noopener">
          issue ↗
        </a>
      )}
    </>
  )
}

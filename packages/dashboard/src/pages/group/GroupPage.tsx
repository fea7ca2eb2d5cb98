import { NotFoundError } from "@errata/api/promise"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { isMissing } from "../../data/failure.js"
import { groupQuery } from "../../data/groups.js"
import { notify } from "../../data/notices.js"
import { useProjectAccess } from "../../data/projects.js"
import { pollEvery, useQuery } from "../../data/query.js"
import { reportQuery } from "../../data/report.js"
import { href } from "../../data/root.js"
import { Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { Stale } from "../../parts/Stale.js"
import { errorTitle } from "../../text/ErrorTitle.js"
import { NotesTab } from "./Activity.js"
import { Facts } from "./Facts.js"
import { Header, HeadingText } from "./Header.js"
import { MergesTab } from "./MergesTab.js"
import { type GroupIds, groupPathOf } from "./paths.js"
import { ReportsTab } from "./ReportsTab.js"
import { ReportTab } from "./ReportTab.js"
import type { ShownGroup } from "./ShownGroup.js"
import { SimilarGroups } from "./SimilarGroups.js"
import { Tabs } from "./Tabs.js"
import { TagsTab, TagValuesTab } from "./TagsTab.js"
import "../../styles/group.css"
import "../../styles/report.css"

interface Params {
  readonly project?: string
  readonly group?: string
  readonly tab?: string
  readonly item?: string
}

export const GroupPage = ({ params }: { readonly params?: Params }) => {
  const ids = { projectId: Number(params?.project), groupId: Number(params?.group) }
  // Another group is another page: its heading gets the focus.
  return (
    <Shown
      key={`${ids.projectId}/${ids.groupId}`}
      ids={ids}
      tab={params?.tab ?? ""}
      item={params?.item ?? ""}
    />
  )
}

// internal

interface Props {
  readonly ids: GroupIds
  /** Empty for the newest report. */
  readonly tab: string
  readonly item: string
}

const Shown = ({ ids, item, tab }: Props) => {
  const isReport = tab === "" || (tab === "reports" && item !== "")
  const reportId = tab === "reports" && item !== "" ? Number(item) : null
  const group = useQuery<ShownGroup>({
    ...groupQuery(ids.projectId, ids.groupId),
    refetchInterval: pollEvery(15_000),
  })
  const report = useQuery({
    ...reportQuery(ids.projectId, ids.groupId, reportId),
    enabled: isReport || group.data !== undefined,
  })
  const mayChange = useProjectAccess(ids.projectId)("groups.change")
  useMergedTarget(ids, group.error, item === "" ? tab : "")
  if (group.data === undefined && group.error !== null) return <Failed ids={ids} error={group.error} />
  const { data } = group
  const name = `Group ${ids.groupId}`
  return (
    <Page
      title={data === undefined ? name : errorTitle(data, 120)}
      heading={data === undefined ? name : <HeadingText group={data} />}
      layout={(heading) => (
        <Header
          ids={ids}
          heading={heading}
          group={data}
          report={report.data}
          reportId={reportId}
          mayChange={mayChange}
        />
      )}
    >
      <Stale query={group} />
      <Facts ids={ids} group={data} report={report.data} />
      <Tabs ids={ids} tab={tab} item={item} group={data} report={report.data} />
      {isReport && (
        <ReportTab ids={ids} group={data} query={report} reportId={reportId} mayChange={mayChange} />
      )}
      {tab === "reports" && item === "" && <ReportsTab ids={ids} />}
      {tab === "tags" &&
        (item === "" ? <TagsTab ids={ids} /> : <TagValuesTab ids={ids} tagKey={decoded(item)} />)}
      {tab === "notes" && <NotesTab ids={ids} mayChange={mayChange} />}
      {tab === "merges" && (
        <>
          <MergesTab ids={ids} mayChange={mayChange} />
          {data !== undefined && <SimilarGroups ids={ids} group={data} mayChange={mayChange} />}
        </>
      )}
      {!["", "reports", "tags", "notes", "merges"].includes(tab) && (
        <p class="nothing">There is no such page.</p>
      )}
    </Page>
  )
}

/** The router has decoded the item already, unless it could not. */
const decoded = (item: string): string => {
  try {
    return decodeURIComponent(item)
  } catch {
    return item
  }
}

/** Redirects from a merged group to its target. */
const useMergedTarget = ({ groupId, projectId }: GroupIds, error: unknown, tab: string): void => {
  const { route } = useLocation()
  const target = error instanceof NotFoundError ? error.mergedIntoId : null
  useEffect(() => {
    if (target === null) return
    notify(`Group ${groupId} was merged into this one.`)
    route(href(groupPathOf({ projectId, groupId: target }, tab === "" ? "" : `/${tab}`)), true)
  }, [target])
}

const Failed = ({ error, ids }: { readonly ids: GroupIds; readonly error: unknown }) => {
  if (error instanceof NotFoundError && error.mergedIntoId !== null) {
    return (
      <Page title={`Group ${ids.groupId}`}>
        <Skeleton label="the group it was merged into" />
      </Page>
    )
  }
  return isMissing(error) ? (
    <Page title={`Group ${ids.groupId}`}>
      <p>This group does not exist, or you cannot see its project. It may have been deleted.</p>
      <p>
        <a href={href(`projects/${ids.projectId}/groups`)}>Groups of the project</a>
      </p>
    </Page>
  ) : (
    <Page title={`Group ${ids.groupId}`}>
      <Problem title="The group could not be loaded." error={error} />
    </Page>
  )
}

import type { OwnGroupsPage } from "@errata/api/promise"
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { countGroups, groupsQuery, type Row } from "../../data/groups.js"
import { filterOf, type ListFilter, type Sort } from "../../data/listFilter.js"
import { useListedProject, useProjectAccess, useProjects } from "../../data/projects.js"
import { cache, pollEvery, useQuery } from "../../data/query.js"
import { href } from "../../data/root.js"
import { live } from "../../data/settings.js"
import { useIsShown } from "../../data/shown.js"
import { opened, trail } from "../../data/trail.js"
import { focusHeading, Page } from "../../parts/Page.js"
import { Problem } from "../../parts/Problem.js"
import { withFilters } from "../../parts/query/QueryText.js"
import { Skeleton } from "../../parts/Skeleton.js"
import { Stale } from "../../parts/Stale.js"
import { count } from "../../text/Numbers.js"
import { ActivityCard, type Span, spans } from "./ActivityCard.js"
import { BulkBar } from "./BulkBar.js"
import { downloadCsv } from "./Download.js"
import { type GroupList, listOf, rowAt } from "./GroupList.js"
import { GroupRows } from "./GroupRows.js"
import { ListBar } from "./ListBar.js"
import { focusRow, useListKeys } from "./ListKeys.js"
import { MergeDialog } from "./MergeDialog.js"
import { Hints, NoGroups } from "./NoGroups.js"
import { SavedDialog } from "./SavedQueries.js"
import "../../styles/groups.css"

/** The groups of a project, or of all projects. */
export const GroupsPage = ({ params = {} }: { readonly params?: Readonly<Record<string, string>> }) => {
  const { query: search, route } = useLocation()
  const projectId = params["project"] === undefined ? null : Number(params["project"])
  const { query, sort } = filterOf(projectId, search)
  const span: Span =
    search["span"] !== undefined && search["span"] in spans ? (search["span"] as Span) : "24h"
  const list = useMemo(() => listWithGroups({ projectId, query, sort }), [projectId, query, sort])
  const go = (changes: { readonly query?: string; readonly sort?: Sort; readonly span?: Span }) =>
    route(hrefOf(projectId, { query, sort, span, ...changes }))
  const name = useListedProject(projectId)?.name
  const title = projectId === null ? "All groups" : (name ?? "Groups")
  const total = useTotal(list)
  const [isMerging, setMerging] = useState(false)
  const state = list.state.value
  // Requested after the list, which does not need it.
  const can = useProjectAccess(state === null ? null : projectId)
  const canChange = can("groups.change")
  const projectName = useProjectNames()
  const download = () => void downloadCsv(list.filter, projectName)
  useListKeys(list, canChange, { merge: () => setMerging(true), download })
  useTrail(
    list,
    `${title}${query === "" ? "" : ` · ${query}`}`,
    total,
    hrefOf(projectId, { query, sort, span }),
  )
  useScroll(list)
  return (
    <Page
      title={total === null ? title : `${title} (${total})`}
      heading={projectId === null ? "Groups of all projects" : `Groups of ${title}`}
      isHeadingHidden
    >
      <ListBar {...{ projectId, query, sort, span, go }} onDownload={download} />
      {projectId !== null && (
        <ActivityCard
          projectId={projectId}
          span={span}
          onPick={(since, until) => go({ query: withFilters(query, { since, until }) })}
        />
      )}
      <Body list={list} total={total} onQuery={(query) => go({ query })} />
      {state !== null && <BulkBar list={list} canChange={canChange} onMerge={() => setMerging(true)} />}
      <SavedDialog query={query} sort={sort} />
      {isMerging && (
        <MergeDialog
          groups={list.selectedRows.value}
          onMerged={(target) => focusAfterMerge(list, target)}
          onClose={() => setMerging(false)}
        />
      )}
    </Page>
  )
}

// internal

/** The list of a filter. If its first page is in the cache, the first render already shows the groups. */
const listWithGroups = (filter: ListFilter): GroupList => {
  const list = listOf(filter)
  const page = cache.getQueryData<OwnGroupsPage>(groupsQuery(filter).queryKey)
  if (page !== undefined && list.state.peek() === null) list.receive(page)
  return list
}

/** The URL contains only values that differ from the defaults. */
const hrefOf = (
  projectId: number | null,
  { query, sort, span }: { readonly query: string; readonly sort: Sort; readonly span: Span },
): string => {
  const search = new URLSearchParams({ query })
  if (sort !== "last_seen") search.set("sort", sort)
  if (span !== "24h") search.set("span", span)
  return href(`${projectId === null ? "groups" : `projects/${projectId}/groups`}?${search}`)
}

/** The list or its placeholder. */
const Body = ({
  list,
  total,
  onQuery,
}: {
  readonly list: GroupList
  readonly total: string | null
  readonly onQuery: (query: string) => void
}) => {
  const { filter } = list
  const page = usePolled(list)
  const projectName = useProjectNames()
  const state = list.state.value
  if (state === null) {
    return page.isError ? (
      <Problem title="The groups were not loaded." error={page.error} />
    ) : (
      <div class="card">
        <Skeleton label="groups" rows={8} />
      </div>
    )
  }
  return (
    <>
      <Stale query={page} />
      <Skipped names={(page.data?.skipped_project_ids ?? []).map(projectName)} />
      <Hints hints={page.data?.hints ?? []} query={filter.query} onQuery={onQuery} />
      <Waiting list={list} />
      {list.shown.value.length === 0 ? (
        <NoGroups projectId={filter.projectId} query={filter.query.trim()} onQuery={onQuery} />
      ) : (
        <GroupRows list={list} total={total} projectName={filter.projectId === null ? projectName : null} />
      )}
    </>
  )
}

/** The rows of the merged groups disappear, and the focus with them. */
const focusAfterMerge = (list: GroupList, target: Row): void => {
  list.comeBackTo(target)
  requestAnimationFrame(() => {
    if (!focusRow(list)) focusHeading()
  })
}

const useProjectNames = (): ((projectId: number) => string) => {
  const projects = useProjects().data ?? []
  return (id) => projects.find((project) => project.id === id)?.name ?? `project ${id}`
}

const Skipped = ({ names }: { readonly names: ReadonlyArray<string> }) =>
  names.length === 0 ? null : (
    <p class="hint" role="status">
      Without the groups of {names.join(", ")}: {names.length === 1 ? "it" : "they"} did not answer in time.
    </p>
  )

const usePolled = (list: GroupList) => {
  const page = useQuery({
    ...groupsQuery(list.filter),
    refetchInterval: pollEvery(live.value === "on" ? 2_000 : 10_000),
  })
  const { data } = page
  useLayoutEffect(() => {
    if (data !== undefined) list.receive(data)
  }, [list, data])
  return page
}

/** New groups wait here, so that no row moves while someone reads. */
const Waiting = ({ list }: { readonly list: GroupList }) => {
  const count = list.state.value?.waiting.length ?? 0
  return (
    <div class="waiting" role="status">
      {count > 0 && (
        <button type="button" onClick={() => list.reveal()}>
          {count} new · press <kbd>.</kbd>
        </button>
      )}
    </div>
  )
}

/** Number of matching groups: counted by the server for one project, else the loaded ones. */
const useTotal = (list: GroupList): string | null => {
  const { projectId, query }: ListFilter = list.filter
  const state = list.state.value
  const counted = useQuery({
    queryKey: ["count", projectId, query],
    queryFn: ({ signal }) => countGroups(projectId ?? 0, query, signal),
    enabled: projectId !== null && state !== null,
    refetchInterval: pollEvery(30_000),
  }).data
  if (counted !== undefined) return `${count(counted.count)}${counted.capped ? "+" : ""}`
  if (state === null || projectId !== null) return null
  return `${count(list.shown.value.length)}${state.hasMore ? "+" : ""}`
}

const useTrail = (list: GroupList, label: string, total: string | null, address: string): void => {
  const isShown = useIsShown()
  const keys = list.shown.value
  useEffect(() => {
    if (!isShown) return
    const groups = keys
      .flatMap((key) => rowAt(key)?.peek() ?? [])
      .map(({ id, project_id }) => ({ id, project_id }))
    trail.value = { href: address, label, total, groups }
  }, [keys, label, total, address, isShown])
}

/** Coming back, the reader finds the list as they left it. */
const useScroll = (list: GroupList): void => {
  const isShown = useIsShown()
  useLayoutEffect(() => {
    if (!isShown) return
    const { scroll } = list
    list.comeBackTo(opened.peek())
    opened.value = null
    // Before the paint, but after the router, which scrolls to the top of each page that it opens.
    queueMicrotask(() => {
      if (scroll > 0) scrollTo(0, scroll)
      if (list.current.peek() !== null) focusRow(list)
    })
    const follow = () => {
      list.scroll = scrollY
    }
    addEventListener("scroll", follow, { passive: true })
    return () => removeEventListener("scroll", follow)
  }, [list, isShown])
}

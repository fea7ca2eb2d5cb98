/** The actions on a group, as buttons and as keys. */

import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { discard, fetchMarkdown } from "../../data/group.js"
import type { GroupRef } from "../../data/groups.js"
import { useMe } from "../../data/me.js"
import { notify, notifyFailure } from "../../data/notices.js"
import { mayNotChange, useProjectAccess } from "../../data/projects.js"
import { href, rootUrl } from "../../data/root.js"
import { groupPath, trail } from "../../data/trail.js"
import { assign, setResolved } from "../../data/triage.js"
import { useKeys } from "../../keys/Keys.js"
import { AssignMenu } from "../../parts/AssignMenu.js"
import { copy } from "../../parts/Clipboard.js"
import { Dialog } from "../../parts/Dialog.js"
import { Menu } from "../../parts/Menu.js"
import { MuteMenu } from "../../parts/MuteMenu.js"
import { ResolveMenu } from "../../parts/ResolveMenu.js"
import { counted } from "../../text/Numbers.js"
import { MergeDialog } from "../groups/MergeDialog.js"
import { IssueDialog } from "./IssueDialog.js"
import { type GroupIds, groupPathOf, placeIn, reportPath } from "./paths.js"
import type { ShownGroup } from "./ShownGroup.js"
import { useOffer } from "./useOffer.js"

interface Props {
  readonly ids: GroupIds
  readonly group: ShownGroup
  /** The report that is shown. */
  readonly reportId: number | null
  readonly mayChange: boolean
}

export const Actions = ({ group, ids, mayChange, reportId }: Props) => {
  const me = useMe()?.user
  const { route } = useLocation()
  const [isMerging, setMerging] = useState(false)
  const refs = [{ project_id: ids.projectId, id: ids.groupId }]
  const resolve = () => void setResolved(refs, !group.resolved)
  useOffer(group, mayChange)
  useKeys("This group", [
    ...(mayChange
      ? [
          { key: "r", label: "Resolve or reopen", run: resolve },
          {
            key: "v",
            label: "Resolve in a release",
            run: () => document.getElementById("resolve-in")?.click(),
          },
          { key: "m", label: "Mute", run: () => document.getElementById("mute")?.click() },
          {
            key: "a",
            label: "Assign to me, or unassign",
            run: () => {
              if (me != null) void assign(refs, group.assignee_id === me.id ? null : me.id, me.name)
            },
          },
          { key: "A", label: "Assign to …", run: () => document.getElementById("assign")?.click() },
          { key: "M", label: "Merge", run: () => setMerging(true) },
        ]
      : []),
    { key: "c", label: "Copy as Markdown", run: () => void copyMarkdown(ids, reportId) },
    { key: "y", label: "Copy the link", run: () => void copyLink(ids, reportId) },
  ])
  return (
    <div class="group-actions">
      {mayChange ? (
        <Changes group={group} refs={refs} onResolve={resolve} />
      ) : (
        <p class="faint">{mayNotChange}</p>
      )}
      <Menu id="copy" align="end" label={<Label text="Copy" letter="c" />}>
        <button type="button" onClick={() => copyMarkdown(ids, reportId)}>
          As Markdown <kbd>c</kbd>
        </button>
        <button type="button" onClick={() => copyLink(ids, reportId)}>
          The link <kbd>y</kbd>
        </button>
        <button type="button" onClick={() => copyText(String(group.id), "the number of the group")}>
          The number of the group
        </button>
      </Menu>
      <More group={group} ids={ids} mayChange={mayChange} onMerge={() => setMerging(true)} />
      {isMerging && (
        <MergeDialog
          groups={[group]}
          onMerged={(target) => route(href(groupPath(target)), true)}
          onClose={() => setMerging(false)}
        />
      )}
    </div>
  )
}

// internal

const Changes = ({
  group,
  onResolve,
  refs,
}: {
  readonly group: ShownGroup
  readonly refs: ReadonlyArray<GroupRef>
  readonly onResolve: () => void
}) => (
  <>
    <span class="split">
      <button id="resolve" type="button" class={group.resolved ? undefined : "primary"} onClick={onResolve}>
        {group.resolved ? "Reopen" : "Resolve"} <kbd>r</kbd>
      </button>
      <ResolveMenu id="resolve-in" align="end" groups={refs} {...(!group.resolved && { class: "primary" })} />
    </span>
    <MuteMenu
      id="mute"
      align="end"
      groups={refs}
      isMuted={group.muted_at !== null}
      label={<Label text={group.muted ? "Muted" : "Mute"} letter="m" />}
    />
    <AssignMenu
      id="assign"
      align="end"
      groups={refs}
      isAssigned={group.assignee_id !== null}
      label={<Label text="Assign" letter="a" />}
    />
  </>
)

const Label = ({ letter, text }: { readonly text: string; readonly letter: string }) => (
  <>
    {text} <span aria-hidden="true">▾</span> <kbd>{letter}</kbd>
  </>
)

const More = ({
  group,
  ids,
  mayChange,
  onMerge,
}: Omit<Props, "reportId"> & { readonly onMerge: () => void }) => {
  const [dialog, open] = useState<"issue" | "discard" | null>(null)
  const mayDiscard = useProjectAccess(ids.projectId)("groups.discard")
  return (
    <>
      <Menu align="end" name="More actions" label="⋯">
        {group.issue_url != null && (
          <a href={group.issue_url} target="_blank" rel="noreferrer noopener">
            Open the issue ↗
          </a>
        )}
        {mayChange && (
          <>
            <button type="button" onClick={() => open("issue")}>
              {group.issue_url == null ? "Link an issue…" : "Change the link to the issue…"}
            </button>
            <button type="button" onClick={onMerge}>
              Merge into another group… <kbd>M</kbd>
            </button>
          </>
        )}
        {mayDiscard && (
          <button type="button" class="bad" onClick={() => open("discard")}>
            Delete the group…
          </button>
        )}
        {!mayChange && !mayDiscard && <p>You may only read groups of this project.</p>}
      </Menu>
      {dialog === "issue" && (
        <IssueDialog ids={ids} url={group.issue_url ?? null} onClose={() => open(null)} />
      )}
      {dialog === "discard" && (
        <DiscardDialog ids={ids} reports={group.reports_count} onClose={() => open(null)} />
      )}
    </>
  )
}

const DiscardDialog = ({
  ids,
  onClose,
  reports,
}: {
  readonly ids: GroupIds
  readonly reports: number
  readonly onClose: () => void
}) => {
  const { route } = useLocation()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    if (isBusy) return
    setBusy(true)
    const from = trail.peek()
    const next = placeIn(from, ids)
    if (await discard(ids.projectId, ids.groupId)) {
      route(from !== null && next !== null ? from.href : href(`projects/${ids.projectId}/groups`), true)
    } else setBusy(false)
  }
  return (
    <Dialog title={`Delete group ${ids.groupId}?`} onClose={onClose}>
      <p>
        The group, its {counted(reports, "report")} and its notes are deleted. This cannot be undone. A later
        report of the same error makes a new group with a note about this one.
      </p>
      <footer>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={run}>
          Delete the group
        </button>
      </footer>
    </Dialog>
  )
}

const copyText = async (text: string, what: string): Promise<void> => {
  if (await copy(text)) notify(`Copied ${what}.`)
}

const copyMarkdown = async ({ groupId, projectId }: GroupIds, reportId: number | null): Promise<void> => {
  try {
    await copyText(await fetchMarkdown(projectId, groupId, reportId), "the report as Markdown")
  } catch (error) {
    notifyFailure("The report was not copied.", error)
  }
}

const copyLink = (ids: GroupIds, reportId: number | null): Promise<void> =>
  copyText(
    new URL(reportId === null ? groupPathOf(ids) : reportPath(ids, reportId), rootUrl).href,
    "the link",
  )

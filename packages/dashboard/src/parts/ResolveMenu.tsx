/** Resolves groups in a release: the next one, one that was seen, or one that is to come. */
import { useState } from "preact/hooks"
import { describe } from "../data/failure.js"
import type { GroupRef } from "../data/groups.js"
import { newestReleasesQuery } from "../data/newestReleases.js"
import { useQuery } from "../data/query.js"
import { setResolvedIn } from "../data/triage.js"
import { nextRelease } from "../text/ReleaseText.js"
import { cut, line } from "../text/SafeText.js"
import { Menu } from "./Menu.js"
import { releaseChoices } from "./ReleaseChoices.js"

export const ResolveMenu = ({
  groups,
  ...menu
}: {
  /** They are of one project. Releases of others are not offered. */
  readonly groups: ReadonlyArray<GroupRef>
  readonly id: string
  readonly align?: "start" | "end"
  readonly class?: string
}) => {
  const projectId = groups[0]?.project_id ?? 0
  const { data: releases = [], error } = useQuery(newestReleasesQuery(projectId))
  const [wanted, want] = useState("")
  const isOneProject = groups.every((group) => group.project_id === projectId)
  const resolveIn = (release: string) => {
    want("")
    void setResolvedIn(groups, release)
  }
  const choices = releaseChoices(
    releases.map(({ version }) => version),
    wanted,
  )
  return (
    <Menu {...menu} name="Fixed in a release" label={<span aria-hidden="true">▾</span>}>
      <button type="button" onClick={() => resolveIn(nextRelease)}>
        In the next release
      </button>
      <p class="menu-hint">Reports of older releases leave it resolved.</p>
      {isOneProject && (
        <div class="menu-releases">
          <input
            type="search"
            aria-label="Find or name a release"
            placeholder="In release …"
            maxLength={200}
            value={wanted}
            onInput={({ currentTarget }) => want(currentTarget.value)}
            onKeyDown={(event) => {
              const [first] = choices
              if (event.key !== "Enter" || wanted.trim() === "" || first === undefined) return
              event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover()
              resolveIn(first)
            }}
          />
          {choices.map((version) => (
            <button key={version} type="button" onClick={() => resolveIn(version)}>
              {line(cut(version, 60))}
            </button>
          ))}
          {error !== null && <p>The releases could not be loaded. {describe(error)}</p>}
        </div>
      )}
    </Menu>
  )
}

/** The pages of the dashboard. */
import type { Browser } from "playwright-core"
import type { Project } from "../../../cli/test/support/Rest.js"
import type { Furnished } from "./Furnished.js"
import { Reader } from "./Reader.js"
import type { Site } from "./Site.js"

export interface Shown {
  readonly path: string
  /** Steps that open each dialog: keys of one character, and first words of buttons. */
  readonly dialogs?: ReadonlyArray<ReadonlyArray<string>>
}

export type Pages = Readonly<Record<string, Shown>>

export const instancePages: Pages = {
  projects: { path: "/projects", dialogs: [["?"], ["Search or jump to"]] },
  "a new project": { path: "/projects/new" },
  "all groups": { path: "/groups" },
  "a group that is in no project": { path: "/groups/4000" },
  "an event that is in no project": { path: `/reports/${"0".repeat(32)}` },
  "a project that does not exist": { path: "/projects/4000/groups" },
  people: { path: "/settings/people", dialogs: [["Add a person"]] },
  apps: { path: "/settings/apps", dialogs: [["New app"]] },
  retention: { path: "/settings/retention" },
  "ingest protection": { path: "/settings/ingest" },
  "default rules": { path: "/settings/alerts" },
  "a new default rule": { path: "/settings/alerts/rules/new" },
  health: { path: "/settings/health" },
  "a page that does not exist": { path: "/settings/nothing" },
}

/** Pages of every project. */
export const projectPages = ({ id }: Project): Pages => ({
  setup: { path: `/projects/${id}/setup` },
  "the list": { path: `/projects/${id}/groups`, dialogs: [["s"]] },
  "the list without a match": { path: `/projects/${id}/groups?query=nothing-has-this-name` },
  settings: {
    path: `/projects/${id}/settings`,
    dialogs: [["Replace the token"], ["Mute project"], ["Delete project"]],
  },
  members: { path: `/projects/${id}/settings/members` },
  alerts: { path: `/projects/${id}/settings/alerts` },
  "a new rule": { path: `/projects/${id}/settings/alerts/rules/new` },
  "a new target": { path: `/projects/${id}/settings/alerts/targets/new` },
  notifications: { path: `/projects/${id}/settings/alerts/history` },
  webhooks: { path: `/projects/${id}/settings/webhooks` },
  releases: { path: `/projects/${id}/settings/releases` },
  "source maps": { path: `/projects/${id}/settings/uploads` },
  origins: { path: `/projects/${id}/settings/origins` },
  "a group that does not exist": { path: `/projects/${id}/groups/4000` },
  "an event that does not exist": { path: `/projects/${id}/reports/${"0".repeat(32)}` },
})

/** All pages, with the dialogs about their content. */
export const allPages = ({ deliveryId, group, project, ruleId, targetId, webhookId }: Furnished): Pages => {
  const path = `/projects/${project.id}`
  const groupPath = `${path}/groups/${group.id}`
  const own = projectPages(project)
  const more: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>> = {
    people: [
      ["Manage Some member", "Create a sign-in link"],
      ["Manage Some member", "Replace the API key"],
      ["Manage Some member", "Make admin"],
      ["Manage Some member", "Deactivate"],
    ],
    apps: [["Edit The shop"], ["Delete The shop"]],
    retention: [["Run now", "Delete old reports"]],
    health: [["Retry all"], ["Discard the payload"]],
    "the list": [["j", "x", "j", "x", "M"]],
    members: [["Remove Some member"]],
    "source maps": [["Delete ~/app.js"]],
    origins: [["Remove https"]],
  }
  const pages: Pages = {
    ...instancePages,
    ...own,
    "the deliveries of a webhook": {
      path: `${path}/webhooks/${webhookId}/deliveries`,
      dialogs: [["Delete…"]],
    },
    "a rule": { path: `${path}/settings/alerts/rules/${ruleId}`, dialogs: [["Delete…"]] },
    "a target": { path: `${path}/settings/alerts/targets/${targetId}`, dialogs: [["Delete…"]] },
    "a delivery": { path: `${path}/webhooks/${webhookId}/deliveries/${deliveryId}` },
    "a report": {
      path: groupPath,
      dialogs: [["M"], ["More actions", "Change the link"], ["More actions", "Delete the group"]],
    },
    "the reports of a group": { path: `${groupPath}/reports` },
    "the tags of a group": { path: `${groupPath}/tags` },
    "the values of a tag": { path: `${groupPath}/tags/release` },
    "the notes of a group": { path: `${groupPath}/notes` },
    "the merges of a group": { path: `${groupPath}/merges` },
  }
  return Object.fromEntries(
    Object.entries(pages).map(([name, page]) => [
      name,
      { ...page, dialogs: [...(page.dialogs ?? []), ...(more[name] ?? [])] },
    ]),
  )
}

/** This many concurrent readers use both cores of a small machine and the pauses of each other. */
const readers = 3

/** Has admins see all of these pages, each of them a part. */
export const tour = async (
  browser: Browser,
  site: Site,
  pages: Pages,
  see: (reader: Reader, name: string, url: string, page: Shown) => Promise<void>,
): Promise<void> => {
  const left = Object.entries(pages)
  const walk = async () => {
    const { link } = await site.invite("admin")
    await Reader.visit(browser, {}, async (reader) => {
      await reader.signIn(link)
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [name, page] = next
        await see(reader, name, site.url + page.path, page)
      }
    })
  }
  await Promise.all(Array.from({ length: readers }, walk))
}

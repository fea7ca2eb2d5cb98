/** Tests the whole API over HTTP. It needs only a base URL and API keys. */
import { afterAll, beforeAll, describe, it } from "vitest"
import { accessWire } from "./AccessWire.js"
import { activityWire } from "./ActivityWire.js"
import { alertRulesWire } from "./AlertRulesWire.js"
import { appsWire } from "./AppsWire.js"
import { artifactsWire } from "./ArtifactsWire.js"
import { assigneeWire } from "./AssigneeWire.js"
import { attachmentsWire } from "./AttachmentsWire.js"
import { authenticationWire } from "./AuthenticationWire.js"
import { bulkWire } from "./BulkWire.js"
import { errorsWire } from "./ErrorsWire.js"
import { extremesWire } from "./ExtremesWire.js"
import { groupFiltersWire } from "./GroupFiltersWire.js"
import { groupMuteWire } from "./GroupMuteWire.js"
import { groupSearchWire } from "./GroupSearchWire.js"
import { groupSortWire } from "./GroupSortWire.js"
import { groupsWire } from "./GroupsWire.js"
import { mailSettingsWire } from "./MailSettingsWire.js"
import { membersWire } from "./MembersWire.js"
import { mergeWire } from "./MergeWire.js"
import { meWire } from "./MeWire.js"
import { notesWire } from "./NotesWire.js"
import { notificationSettingsWire } from "./NotificationSettingsWire.js"
import { notificationsWire } from "./NotificationsWire.js"
import { openApiWire } from "./OpenApiWire.js"
import { originsWire } from "./OriginsWire.js"
import { ownGroupsWire } from "./OwnGroupsWire.js"
import { pagesWire } from "./PagesWire.js"
import { pagingWire } from "./PagingWire.js"
import { policiesWire } from "./PoliciesWire.js"
import { projectMuteWire } from "./ProjectMuteWire.js"
import { projectsWire } from "./ProjectsWire.js"
import { releasesWire } from "./ReleasesWire.js"
import { reportDetailWire } from "./ReportDetailWire.js"
import { reportsWire } from "./ReportsWire.js"
import { requestBodyWire } from "./RequestBodyWire.js"
import { resolvedInReleaseWire } from "./ResolvedInReleaseWire.js"
import { retentionWire } from "./RetentionWire.js"
import { sourcemapRetryWire } from "./SourcemapRetryWire.js"
import { tagsWire } from "./TagsWire.js"
import { targetsWire } from "./TargetsWire.js"
import { usersWire } from "./UsersWire.js"
import { webhooksWire } from "./WebhooksWire.js"
import { open, type Wire } from "./Wire.js"
import type { WireFile } from "./WireCase.js"
import type { WireTarget } from "./WireTarget.js"

/** Registers every case with vitest. */
export const wireSuite: ReadonlyArray<WireFile> = [
  openApiWire,
  pagesWire,
  meWire,
  projectsWire,
  projectMuteWire,
  notificationSettingsWire,
  originsWire,
  groupsWire,
  groupMuteWire,
  groupFiltersWire,
  groupSearchWire,
  activityWire,
  groupSortWire,
  ownGroupsWire,
  bulkWire,
  mergeWire,
  tagsWire,
  notesWire,
  assigneeWire,
  reportsWire,
  reportDetailWire,
  attachmentsWire,
  sourcemapRetryWire,
  releasesWire,
  artifactsWire,
  usersWire,
  membersWire,
  appsWire,
  webhooksWire,
  targetsWire,
  alertRulesWire,
  notificationsWire,
  mailSettingsWire,
  policiesWire,
  resolvedInReleaseWire,
  retentionWire,
  pagingWire,
  errorsWire,
  requestBodyWire,
  extremesWire,
  authenticationWire,
  accessWire,
]

/** A cluster is distributed first. */
const startTimeout = 300_000

/** A server under test that runs. */
export interface StartedTarget {
  readonly target: WireTarget
  readonly stop: () => Promise<void>
}

/** Registers the suite with vitest; one server, started once, serves all of it. `without` names cases that do not hold for it. */
export const defineWireSuite = (
  name: string,
  start: () => Promise<StartedTarget>,
  without: ReadonlyArray<string> = [],
): void => {
  describe(name, () => {
    let started: StartedTarget | undefined
    let wire: Wire
    beforeAll(async () => {
      started = await start()
      wire = await open(started.target)
    }, startTimeout)
    afterAll(() => started?.stop())

    for (const file of wireSuite) {
      describe(file.name, () => {
        for (const { name, run } of file.cases) if (!without.includes(name)) it(name, () => run(wire))
      })
    }
  })
}

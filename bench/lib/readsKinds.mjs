/** The reader's requests: every filter, with common, rare and absent values. */
const DAY = 86_400_000

/** Picks a random listed group. */
const picker =
  ({ groupIds, isMerged }) =>
  () => {
    let index = Math.floor(Math.random() * groupIds.length)
    while (isMerged[index]) index--
    return groupIds[index]
  }

/** Request paths by kind, with fresh values on each call. */
export const kindsOf = (past, projectId) => {
  const groups = `/projects/${projectId}/groups`
  const list = (parameters) => () => `${groups}?${new URLSearchParams(parameters())}`
  const query = (...texts) => {
    let turn = 0
    return list(() => ({ query: texts[turn++ % texts.length] }))
  }
  const at = (daysAgo) => new Date(past.now - daysAgo * DAY).toISOString()
  const pick = picker(past)
  const user = () => `u${String(Math.floor(Math.random() * 10_000)).padStart(7, "0")}`
  return {
    "first page": list(() => ({})),
    "first page of 100": list(() => ({ limit: "100" })),
    "first page of 50, with last reports": list(() => ({ limit: "50", include: "last_report" })),
    "deep page, with last reports": list(() => ({ cursor: String(pick()), include: "last_report" })),
    "deep page": list(() => ({ cursor: String(pick()) })),
    "status=unresolved": list(() => ({ status: "unresolved" })),
    "is:resolved": query("is:resolved"),
    "is:resolved, deep": list(() => ({ query: "is:resolved", cursor: String(pick()) })),
    "is:muted": query("is:muted"),
    "is:unmuted": query("is:unmuted"),
    "severity common": query("is:error"),
    "severity rare": query("is:debug"),
    "severity rare, several": query("is:fatal,debug", "is:debug,info"),
    "severity negated": query("!is:error", "!is:error,warning"),
    "environment common": query("environment:production"),
    "environment uncommon": query("environment:canary"),
    "environment rare": query("environment:demo"),
    "tag common": query('tags.os:"Windows 11"', "tags.plan:free"),
    "tag rare": list(() => ({ query: `tags.user_id:${user()}` })),
    "tag absent": query("tags.user_id:nobody", "tags.nothing:here"),
    "tags common and common": query('tags.os:"Windows 11" tags.plan:gold environment:production'),
    "tags rare and rare": list(() => ({ query: `tags.user_id:${user()} environment:demo` })),
    "tags common and rare": list(() => ({ query: `environment:production tags.user_id:${user()}` })),
    "server common": query("server_name:web-7", "server_name:web-31"),
    "server rare": query("server_name:db-legacy"),
    "release new": query("release:shop@3.149.0"),
    "release old": query("release:shop@3.10.0", "release:shop@3.55.0"),
    "error type common": query("error_type:TypeError"),
    "error type rare": list(() => ({ query: `error_type:Rare${Math.floor(Math.random() * 2_000)}Error` })),
    "error type absent": query("error_type:NeverError"),
    "assignee me": query("assignee:me"),
    "assignee other": query("assignee:7", "assignee:33"),
    "assignee none": query("assignee:none"),
    "reports >5": query("reports_count:>5"),
    "reports >100": query("reports_count:>100"),
    "reports >5000": query("reports_count:>5000"),
    "reports >1000000": query("reports_count:>1000000"),
    "reports =37": query("reports_count:37"),
    "since an hour": list(() => ({ since: new Date(Date.now() - 3_600_000).toISOString() })),
    "since a day": list(() => ({ since: at(1) })),
    "since 60 days": list(() => ({ since: at(60) })),
    "since the future": list(() => ({ since: "2099-01-01" })),
    "until 45 days ago": list(() => ({ until: at(45) })),
    "until 80 days ago": list(() => ({ until: at(80) })),
    "until long ago": list(() => ({ until: "2001-01-01" })),
    "a day long ago": list(() => ({ since: at(60), until: at(59) })),
    "an hour long ago": list(() => ({ since: at(33), until: at(33 - 1 / 24) })),
    "three weeks long ago": list(() => ({ since: at(70), until: at(49) })),
    "text common": query("connection", "timeout"),
    "text common, two words": query("connection reset", "account not found"),
    "text rare": query("zeppelin"),
    "text one group": list(() => ({ query: `undefined ${Math.floor(Math.random() * 100_000)}` })),
    "phrase common": query('"connection reset by peer"'),
    "phrase rare": query('"the zeppelin was landing"'),
    "phrase absent": query('"peer by reset connection"'),
    "text absent": query("submarine"),
    prefix: query("conn", "zepp"),
    "rare and rare": query("is:debug error_type:KeyError", "is:fatal assignee:me", "zeppelin is:fatal"),
    "rare, resolved": query("is:resolved reports_count:>1000", "is:muted environment:demo"),
    "common and common": query("is:unresolved is:error environment:production timeout"),
    everything: list(() => ({
      query: "is:resolved is:error environment:production reports_count:>20 connection",
      since: at(80),
      until: at(10),
    })),
    "until and text": list(() => ({ query: "connection is:unresolved", until: at(50) })),
    group: () => `${groups}/${pick()}`,
    projects: () => "/projects",
    project: () => `/projects/${projectId}`,
  }
}

/** Requests for reports: of any group, of the busiest group, and by event id. */
export const reportKindsOf = (past, projectId, busiest) => {
  const pick = picker(past)
  const at = (daysAgo) => new Date(past.now - daysAgo * DAY).toISOString()
  const reports = (group, parameters = {}) =>
    `/projects/${projectId}/groups/${group}/reports?${new URLSearchParams(parameters)}`
  const some = () => busiest.reports[Math.floor(Math.random() * busiest.reports.length)]
  return {
    "reports of a group": () => reports(pick()),
    "reports of the busiest": () => reports(busiest.id),
    "reports, deep": () => reports(busiest.id, { cursor: some().id }),
    "reports since a day": () => reports(busiest.id, { since: at(1) }),
    "reports until 60 days": () => reports(busiest.id, { until: at(60) }),
    "reports of an hour": () => reports(busiest.id, { since: at(40), until: at(40 - 1 / 24) }),
    "reports, none": () => reports(busiest.id, { since: "2099-01-01" }),
    report: () => `/projects/${projectId}/groups/${busiest.id}/reports/${some().id}`,
    event: () => `/projects/${projectId}/reports/${some().event_id}`,
    "event absent": () => `/projects/${projectId}/reports/${"0".repeat(32)}`,
  }
}

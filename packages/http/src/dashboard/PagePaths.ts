/** The pages of the dashboard. Other paths stay 404: the shell must not hide a mistyped address of the API. */

/** Returns true if the dashboard has a page at a path below the mount. A slash at the end makes no difference. */
export const isPage = (path: string): boolean => path.length <= maxLength && pages.test(path)

// internal

const maxLength = 1_000

const id = "[1-9]\\d{0,15}"

const event = "reports/[\\da-fA-F-]{32,36}"

const pages = new RegExp(
  `^/(?:${[
    `groups(?:/${id})?`,
    event,
    "settings/(?:people|apps|retention|ingest|health)",
    `settings/alerts(?:/rules/(?:new|${id}))?`,
    "projects(?:/new)?",
    `projects/${id}(?:/(?:${[
      "setup",
      "settings(?:/(?:general|members|webhooks|releases|uploads|origins))?",
      `settings/alerts(?:/(?:history|(?:rules|targets)/(?:new|${id})))?`,
      `webhooks/${id}/deliveries(?:/${id})?`,
      event,
      "groups",
      `groups/${id}(?:/(?:reports(?:/${id})?|tags(?:/[^/]+)?|notes|merges))?`,
    ].join("|")}))?`,
  ].join("|")})/?$`,
)

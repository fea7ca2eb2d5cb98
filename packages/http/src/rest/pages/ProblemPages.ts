/** What the `type` of a problem document leads to: a page on what happened and what helps. */
import type { Page } from "./Page.js"

/** By the last part of the address. */
export const problemPages = (basePath: string, docs: string): Readonly<Record<string, Page>> => {
  const page = (status: number, title: string, lead: string, paragraphs: ReadonlyArray<string>): Page => ({
    title,
    lead,
    paragraphs,
    links: [
      { label: "Documentation", href: basePath + docs, text: "The REST API, to read and to try" },
      { label: "Errata", href: `${basePath}/`, text: "What this server is" },
    ],
    foot: `HTTP status ${status}`,
  })
  return {
    unauthorized: page(401, "Unauthorized", "The request had no API key, or one that no active user has.", [
      "Every request to the REST API names its sender in the header `Authorization: Bearer errata_…`.",
      "A key that worked before stops when it is replaced or its user is deactivated. Whoever runs the server makes a new one with `errata users rotate-key`.",
    ]),
    forbidden: page(403, "Forbidden", "What was asked for exists, but not for the user of this API key.", [
      "Members read and change what is in their own projects. Admins can give access to a project: `errata members add`.",
      "Projects, apps, webhooks, users and policies are managed by admins. The detail of the answer names the rule.",
    ]),
    "validation-error": page(422, "Validation error", "The request was understood and breaks a rule.", [
      "Nothing was changed. The answer lists under `errors` what is wrong, field by field; `base` stands for the request as a whole.",
      "The documentation says of every field what it takes.",
    ]),
  }
}

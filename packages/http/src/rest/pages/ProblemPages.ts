/** Pages for the `type` of problem documents: the cause and the remedy. */
import type { Page } from "./Page.js"

/** Returns the pages by the last segment of their path. */
export const problemPages = (basePath: string, docs: string): Readonly<Record<string, Page>> => {
  const page = (status: number, title: string, lead: string, paragraphs: ReadonlyArray<string>): Page => ({
    title,
    lead,
    paragraphs,
    links: [
      { label: "Documentation", href: basePath + docs, text: "The REST API reference" },
      { label: "Errata", href: `${basePath}/`, text: "About this server" },
    ],
    foot: `HTTP status ${status}`,
  })
  return {
    unauthorized: page(401, "Unauthorized", "The request has no API key, or its key is invalid.", [
      "Every request to the REST API needs the header `Authorization: Bearer errata_…`.",
      "A key stops working when it is replaced or its user is deactivated. The operator of the server can create a new one with `errata users rotate-key`.",
    ]),
    forbidden: page(403, "Forbidden", "The user of this API key lacks permission.", [
      "Members read and change the data of their own projects. Admins can give access to a project: `errata members add`.",
      "Only admins manage projects, apps, webhooks, users and policies. The response's `detail` names the rule.",
    ]),
    "validation-error": page(422, "Validation error", "The input of the request is invalid.", [
      "Nothing was changed. The response lists messages by field in `errors`. `base` stands for the whole request.",
      "The documentation describes the values of every field.",
    ]),
  }
}

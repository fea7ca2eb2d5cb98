/** `GET /`: describes this server. */
import { version } from "../../Version.js"
import * as Documentation from "../Documentation.js"
import type { Page } from "./Page.js"

export const homePage = (basePath: string, serviceName: string): Page => {
  const { document, page } = Documentation.paths(serviceName)
  return {
    title: "Errata",
    lead: "This server collects the errors of applications.",
    paragraphs: [
      "Applications report errors through Sentry SDKs. Use the `errata` command, the typed clients or the REST API to read and triage them.",
    ],
    links: [
      {
        label: "Your account",
        href: `${basePath}/account`,
        text: "Your sign-in, API key and connected tools",
      },
      { label: "Documentation", href: basePath + page, text: "The REST API reference" },
      { label: "OpenAPI document", href: basePath + document, text: "The API description in JSON" },
      { label: "Health", href: `${basePath}/up`, text: "The liveness probe" },
    ],
    foot: `Errata ${version}`,
  }
}

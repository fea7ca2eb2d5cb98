/** `GET /`: what this server is, for whoever opens its address. */
import { version } from "../../Version.js"
import * as Documentation from "../Documentation.js"
import type { Page } from "./Page.js"

export const homePage = (basePath: string, serviceName: string): Page => {
  const { document, page } = Documentation.paths(serviceName)
  return {
    title: "Errata",
    lead: "This server collects the errors of applications.",
    paragraphs: [
      "Applications report to it through Sentry SDKs. People and programs read and decide with the `errata` command, the clients, or the REST API.",
    ],
    links: [
      {
        label: "Your account",
        href: `${basePath}/account`,
        text: "Sign in; your API key and connected tools",
      },
      { label: "Documentation", href: basePath + page, text: "The REST API, to read and to try" },
      { label: "OpenAPI document", href: basePath + document, text: "The same for programs, in JSON" },
      { label: "Health", href: `${basePath}/up`, text: "Whether the server is up" },
    ],
    foot: `Errata ${version}`,
  }
}

/** The page for unknown paths in browsers. Programs receive a problem document. */
import { rootFrom } from "../../Links.js"
import { htmlAnswer } from "./Page.js"

/** Its link is relative, so that it works under a prefix that the server does not know. */
export const notFoundPage = (path: string) =>
  htmlAnswer(
    {
      title: "Page not found",
      lead: "This server has no page at this address.",
      paragraphs: ["Check the address. If a link of Errata led here, the page was removed."],
      links: [{ label: "Errata", href: rootFrom(path), text: "The start page" }],
      foot: "HTTP status 404",
    },
    404,
  )

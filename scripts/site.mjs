// Finds problems that would break the site's build or hide pages, without building the site.
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./documents.mjs"

const docs = join(root, "docs")
const json = (name) => JSON.parse(readFileSync(join(docs, name), "utf8"))

/** Returns the problems of the site. `pages` come from `documents()`. */
export const siteProblems = (pages) => [
  ...navigationProblems(pages),
  ...pages.filter(({ path }) => path.startsWith("docs")).flatMap(templateProblems),
  ...json("typedoc.json")
    .entryPoints.filter((path) => !existsSync(join(docs, path)))
    .map((path) => `docs/typedoc.json: ${path} is not there`),
  ...pages.filter(({ path }) => isGuide(path)).flatMap(nextStepProblems),
  ...lockProblems(),
]

/** Pages of docs/ itself, except the home page. */
const isGuide = (path) => /^docs\/(?!index\.md)[^/]+\.md$/.test(path)

/** Every guide ends with a line of links to related pages. Decisions have those of the sidebar. */
const nextStepProblems = ({ path, text }) =>
  /(?:^|\s)Next: (?:[^\n]*\n?){0,2}\[[^\]]+\]\([^)]+\)[^\n]*$/.test(text.trimEnd())
    ? []
    : [`${path}: the page does not end with "Next: [PAGE](LINK)"`]

/** Navigation links must lead to pages, and must include every page. */
const navigationProblems = (pages) => {
  const config = readFileSync(join(docs, ".vitepress/config.mts"), "utf8")
  const links = new Set([...config.matchAll(/link: "(\/[^"]+)"/g)].map(([, link]) => link))
  if (links.size < 10) throw new Error("The navigation of the site is not as this script reads it")
  const isPage = (link) => existsSync(join(docs, `${link}.md`))
  return [
    ...[...links]
      .filter((link) => !link.startsWith("/reference/") && !isPage(link))
      .map((link) => `docs/.vitepress/config.mts: ${link} leads nowhere`),
    ...pages
      .filter(({ path }) => isGuide(path))
      .filter(({ path }) => !links.has(path.replace(/^docs(.*)\.md$/, "$1")))
      .map(({ path }) => `${path}: the site's navigation does not lead there`),
  ]
}

/** Pages are Vue templates: outside code, braces are expressions, and unknown tags break the build. */
const templateProblems = ({ path, text }) =>
  text
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/(`+)[\s\S]*?[^`]\1(?!`)/g, "")
    .match(
      /\{\{.*|<(?!https?:|\/?(?:a|br|code|details|div|img|kbd|p|span|summary|sub|sup|table|td|th|tr)\b)[a-z][\w-]*[^\n]*/gi,
    )
    ?.map((found) => `${path}: the site cannot be built with ${JSON.stringify(found)}`) ?? []

const lockProblems = () => {
  const wanted = json("package.json").devDependencies
  const locked = json("package-lock.json").packages[""].devDependencies
  return JSON.stringify(wanted) === JSON.stringify(locked)
    ? []
    : ["docs/package-lock.json: it is not that of docs/package.json"]
}

import { readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitepress"

const docs = fileURLToPath(new URL("../", import.meta.url))

/** Where the sources can be read, e.g. `https://git.example.com/errata/blob/main/`; without it links to them are text. */
const sources = process.env.ERRATA_SOURCES_URL

const decisions = readdirSync(`${docs}decisions`)
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({
    text: readFileSync(`${docs}decisions/${name}`, "utf8").split("\n")[0]!.replace(/^# /, ""),
    link: `/decisions/${name.replace(/\.md$/, "")}`,
  }))

/** The path in the project that a link of a page leads to; null where it leads to a page, or elsewhere. */
const sourceOf = (href: string, page: string): string | null => {
  if (!href.startsWith("../")) return null
  const path = posix.join("docs", posix.dirname(page), href)
  return path.startsWith("docs/") ? null : path
}

export default defineConfig({
  title: "Errata",
  description: "An open-source, self-hosted error tracker that you can embed in a Node application",
  // Without a named icon, browsers request /favicon.ico.
  head: [["link", { rel: "icon", href: "data:," }]],
  base: process.env.ERRATA_DOCS_BASE ?? "/",
  srcExclude: ["node_modules/**"],
  outDir: "dist",
  cacheDir: "node_modules/.vitepress",
  cleanUrls: true,
  lastUpdated: false,
  // Made by typedoc beside the pages, which the check of links cannot know.
  ignoreDeadLinks: [/^\/reference\//],
  // The sidebar ends with the decisions. The last one leads back to the map of the code.
  transformPageData: ({ frontmatter, relativePath }) =>
    relativePath === `${decisions.at(-1)!.link.slice(1)}.md`
      ? { frontmatter: { ...frontmatter, next: { text: "Architecture", link: "/architecture" } } }
      : undefined,
  markdown: {
    config: (md) => {
      const fence = md.renderer.rules.fence!
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { content, info } = tokens[index]!
        if (info.trim() !== "mermaid") return fence(tokens, index, ...rest)
        return `<MermaidDrawing source="${encodeURIComponent(content)}" />`
      }
      // Pages link to code and tests as files of the project, where they are read there; the site has none of these.
      md.core.ruler.push("links-to-sources", ({ env, tokens }) => {
        for (const { children } of tokens) {
          let path: string | null = null
          for (const child of children ?? []) {
            if (child.type === "link_open") path = sourceOf(child.attrGet("href") ?? "", env.relativePath)
            if (path === null) continue
            if (sources !== undefined) {
              if (child.type === "link_open") child.attrSet("href", new URL(path, sources).href)
            } else if (child.type === "link_open" || child.type === "link_close") {
              child.content = child.type === "link_open" ? `<span title="${path}">` : "</span>"
              Object.assign(child, { type: "html_inline", tag: "", nesting: 0 })
            }
            if (child.nesting === 0 && child.content === "</span>") path = null
            if (child.type === "link_close") path = null
          }
        }
      })
    },
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            fuzzy: 0.1,
            // Guides and references answer more questions than the reasons behind them.
            boostDocument: (id: string) => (id.includes("/decisions/") ? 0.3 : 1),
          },
        },
      },
    },
    outline: [2, 3],
    nav: [
      { text: "Get started", link: "/getting-started" },
      { text: "Embed", link: "/embedding" },
      { text: "Operate", link: "/deployment" },
      { text: "Reference", link: "/reference/index.html", target: "_self" },
    ],
    sidebar: [
      {
        text: "Use",
        items: [
          { text: "Get started", link: "/getting-started" },
          { text: "Concepts", link: "/concepts" },
          { text: "Comparison", link: "/comparison" },
          { text: "Migrate", link: "/migrating" },
          { text: "Inside your application", link: "/embedding" },
          { text: "Capture errors", link: "/embedding-capture" },
          { text: "Effect applications", link: "/effect" },
          { text: "Sentry SDKs", link: "/sdks" },
          { text: "Dashboard", link: "/dashboard" },
          { text: "Search", link: "/search" },
          { text: "Source maps", link: "/source-maps" },
          { text: "Notifications", link: "/notifications" },
          { text: "Webhooks", link: "/webhooks" },
          { text: "Project settings", link: "/project-settings" },
          { text: "Administration", link: "/administration" },
          { text: "Coding tools", link: "/mcp" },
          { text: "Command line", link: "/cli" },
          { text: "REST API", link: "/rest" },
          { text: "REST operations", link: "/rest-operations" },
        ],
      },
      {
        text: "Operate",
        items: [
          { text: "Deployment", link: "/deployment" },
          { text: "Configuration", link: "/configuration" },
          { text: "PostgreSQL", link: "/postgresql" },
          { text: "Scaling", link: "/scaling" },
          { text: "Sizing", link: "/sizing" },
          { text: "Backup and upgrade", link: "/upgrades" },
          { text: "Health and metrics", link: "/operations" },
          { text: "Troubleshooting", link: "/troubleshooting" },
          { text: "Security", link: "/security" },
          { text: "Limits and roadmap", link: "/limits" },
        ],
      },
      {
        text: "Extend",
        items: [
          { text: "Writing adapters", link: "/adapters" },
          { text: "Architecture", link: "/architecture" },
          { text: "Reliability", link: "/reliability" },
          { text: "Benchmarks", link: "/benchmarks" },
        ],
      },
      { text: "Decisions", collapsed: true, items: decisions },
    ],
  },
})

/** The built files of the dashboard, and the HTML document that loads them. Runs in Node; everything else here is the app. */
import { readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

/** A file below `assets/`. Its name contains a hash of its content, so it may be cached permanently. */
export interface Asset {
  /** The value of `Content-Type`. */
  readonly type: string
  readonly body: Uint8Array
  /** The body compressed with Brotli; null for formats that are compressed already. */
  readonly br: Uint8Array | null
  /** The body compressed with gzip; null for formats that are compressed already. */
  readonly gz: Uint8Array | null
}

/** The built dashboard, for servers that serve it. */
export interface Dashboard {
  /** The files by their name below `assets/`. */
  readonly assets: ReadonlyMap<string, Asset>
  /**
   * Returns the HTML document of a page that is `depth` folders below the mount: 0 for `/projects`, 3 for
   * `/projects/1/groups/42`. `serviceName` is the name of the service in the paths of the API.
   */
  readonly shell: (depth: number, serviceName?: string) => string
}

/** Reads the files at first use. Throws an Error if they are missing. */
export const dashboard: Dashboard = {
  get assets() {
    return built().assets
  },
  shell: (depth, serviceName = "service") => {
    const root = depth === 0 ? "./" : "../".repeat(depth)
    const { icon, script, start, styles } = built()
    return `<!doctype html>
<html lang="en" data-root="${root}" data-service="${encodeURIComponent(serviceName)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Errata</title>
<script type="module" async blocking="render" src="${root}${start}"></script>
<link rel="icon" href="${root}${icon}">
${styles.map((style) => `<link rel="stylesheet" href="${root}${style}">`).join("\n")}
<link rel="modulepreload" href="${root}${script}">
</head>
<body>
<div id="app">${header(root)}</div>
<noscript><p>The dashboard needs JavaScript. Without it, use the <code>errata</code> command or the REST API.</p></noscript>
</body>
</html>
`
  },
}

// internal

/** The start of `Frame.tsx`, which the app takes over: the page shows it, and loads its fonts, while the app loads. */
const header = (root: string): string => `<header class="top">
<a href="${root}projects" class="logo"><span class="mark" aria-hidden="true"></span>Errata</a>
<nav aria-label="Main"><a href="${root}projects">Projects</a><a href="${root}groups">Groups</a></nav>
</header>`

interface Built {
  readonly assets: ReadonlyMap<string, Asset>
  /** Requests the data of the page, and then runs `script`. */
  readonly start: string
  readonly script: string
  readonly styles: ReadonlyArray<string>
  readonly icon: string
}

interface Chunk {
  readonly file: string
  readonly css?: ReadonlyArray<string>
}

type Manifest = Readonly<Record<string, Chunk>>

let read: Built | undefined
const built = (): Built => {
  read ??= readBuilt()
  return read
}

const readBuilt = (): Built => {
  const { dist, manifest } = findFiles()
  const app = manifest[entry]
  const start = manifest["src/start.ts"]
  const icon = manifest["src/icon.svg"]
  if (app === undefined || start === undefined || icon === undefined)
    throw new Error("The manifest of the dashboard is incomplete.")
  const folder = new URL("assets/", dist)
  const names = readdirSync(folder)
  const bytes = (name: string): Uint8Array | null =>
    names.includes(name) ? readFileSync(new URL(name, folder)) : null
  const assets = names.flatMap((name): ReadonlyArray<readonly [string, Asset]> => {
    const type = types[name.slice(name.lastIndexOf("."))]
    const body = bytes(name)
    return type === undefined || body === null
      ? []
      : [[name, { type, body, br: bytes(`${name}.br`), gz: bytes(`${name}.gz`) }]]
  })
  return {
    assets: new Map(assets),
    start: start.file,
    script: app.file,
    styles: app.css ?? [],
    icon: icon.file,
  }
}

/** Finds the built files: beside this module, or in the package, because a bundle does not contain them. */
const findFiles = (): { readonly dist: URL; readonly manifest: Manifest } => {
  // Bundlers would follow an imported `createRequire`.
  const { createRequire } = process.getBuiltinModule("node:module")
  const installed = (near: string) => pathToFileURL(createRequire(near).resolve("@errata/dashboard"))
  const modules = [
    // Undefined in bundles in CommonJS, and of the build in those of webpack.
    () => import.meta.url,
    () => installed(import.meta.url),
    () => installed(resolve(process.argv[1] ?? "index.js")),
    () => installed(resolve("index.js")),
  ]
  const errors: Array<unknown> = []
  for (const module of modules) {
    try {
      const dist = new URL("./", module())
      const manifest: Manifest = JSON.parse(readFileSync(new URL("manifest.json", dist), "utf8"))
      // A bundle may be beside the manifest of another application.
      if (entry in manifest) return { dist, manifest }
    } catch (error) {
      errors.push(error)
    }
  }
  throw new Error(missing, { cause: errors[0] })
}

const entry = "src/main.tsx"

const missing =
  "The files of the dashboard are missing. Install @errata/dashboard next to the program, also for a bundle. In a checkout of Errata, run npm run build"

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

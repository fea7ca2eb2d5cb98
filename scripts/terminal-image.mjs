// Draws docs/images/terminal-light.svg and terminal-dark.svg for the documentation's home page: commands and
// their real output, from the demo.
// Usage: node scripts/terminal-image.mjs, after `npm run build`. Needs `script` of util-linux, for a terminal of 92 columns.
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { root } from "./documents.mjs"

const columns = 92
const commands = ["errata groups list", "errata groups get 1", "errata groups resolve 1"]

const bin = join(root, "packages/cli/bin/errata.js")

/** The output of a command in a terminal. */
const outputOf = (command, env) =>
  execFileSync(
    "script",
    ["-qec", `stty cols ${columns} -opost; exec ${command.replace("errata", bin)}`, "/dev/null"],
    {
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: join(root, "node_modules/.cache"), ...env },
    },
  )
    .replaceAll("\r", "")
    .replaceAll(`${root.replace(/\/$/, "")}/examples/demo`, "/srv/shop")
    .trimEnd()

/** Runs the demo until it has recorded its errors, then calls `use` with the printed address and key. */
const withDemo = async (use) => {
  const demo = spawn(process.execPath, [join(root, "examples/demo/demo.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  try {
    for await (const line of createInterface(demo.stdout)) {
      const [, url, key] = /ERRATA_URL=(\S+) ERRATA_API_KEY=(\S+)/.exec(line) ?? []
      if (url !== undefined) return use({ ERRATA_URL: url, ERRATA_API_KEY: key })
    }
    throw new Error("The demo ended without an address")
  } finally {
    demo.kill("SIGINT")
  }
}

const themes = {
  light: {
    back: "#f6f8fa",
    bar: "#e4e8ec",
    dot: "#c3cad1",
    text: "#1f2328",
    muted: "#59636e",
    prompt: "#1a7f37",
  },
  dark: {
    back: "#161b22",
    bar: "#21262d",
    dot: "#484f58",
    text: "#e6edf3",
    muted: "#8b949e",
    prompt: "#3fb950",
  },
}
const [size, lineHeight, charWidth, padding, bar] = [14, 20, 8.43, 20, 32]

/** Keeps spaces from collapsing, in a file as well as in a page. */
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0")

/** `lines` contains `{ text, kind }`, where the kind is a color of the theme. */
const drawing = (lines, { back, bar: barColor, dot, ...colors }) => {
  const width = Math.ceil(columns * charWidth) + 2 * padding
  const height = lines.length * lineHeight + bar + 2 * padding - 6
  const texts = lines.map(({ kind, text }, i) => {
    const y = bar + padding + i * lineHeight + size - 4
    const content =
      kind === "prompt"
        ? `$ <tspan fill="${colors.text}" font-weight="600">${escaped(text)}</tspan>`
        : escaped(text)
    return text === "" ? "" : `<text x="${padding}" y="${y}" fill="${colors[kind]}">${content}</text>\n`
  })
  const dots = [0, 1, 2].map(
    (i) => `<circle cx="${padding + 4 + i * 18}" cy="${bar / 2}" r="5.5" fill="${dot}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>errata in a terminal: the list of groups, one group with its stack, and resolving it</title>
<rect width="100%" height="100%" rx="8" fill="${back}"/>
<path d="M0 ${bar}V8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v${bar - 8}z" fill="${barColor}"/>
${dots.join("")}
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${size}">
${texts.join("")}</g>
</svg>
`
}

const lines = await withDemo((env) =>
  commands.flatMap((command, i) => [
    ...(i === 0 ? [] : [{ kind: "text", text: "" }]),
    { kind: "prompt", text: command },
    ...outputOf(command, { ...env, ERRATA_PROJECT: "Tea shop" })
      .split("\n")
      .map((text) => ({ kind: /^[A-Z]{2}/.test(text) ? "muted" : "text", text })),
  ]),
)

mkdirSync(join(root, "docs/images"), { recursive: true })
for (const [name, theme] of Object.entries(themes)) {
  writeFileSync(join(root, `docs/images/terminal-${name}.svg`), drawing(lines, theme))
}

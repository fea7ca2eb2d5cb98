/** `docs/configuration.md`, written from what the settings say of themselves. */
import type { ListedSetting } from "@errata/core"
import { listedSettings } from "./InstanceSettings.js"
import { serverSettings } from "./ServerSettings.js"

/** The whole page, in Markdown. */
export const configurationPage = (): string =>
  [
    "<!-- Written by npm run docs:configuration from the settings themselves. -->",
    "# Configuration",
    "",
    "Every setting of a server has a name, and is given by that name in a configuration file, or by a variable of the",
    "environment; some have an option on the command line. An option goes before the environment, the environment before",
    "the file, the file before the default. `errata config` prints what is in force and who said so, `errata config --json`",
    "for programs; it takes the options of `errata serve`, and refuses what a server would refuse.",
    "",
    "The file is JSON, named by `--config` or `ERRATA_CONFIG`. `serve`, `status`, `config`, `migrate`, `users` and",
    "`payloads` read it. Members are nested like the names of the settings, or have the whole name; unknown ones are refused.",
    "",
    "```json",
    example,
    "```",
    "",
    "- A **duration** is written `5 seconds`, `500 millis`, `2 minutes`, `1 hour` or `90 days`, as `PT5S`, or as the number",
    "  of its milliseconds.",
    "- A **size** is written `16 MiB`, `64 KiB`, `1 GiB` or as the number of its bytes.",
    "- **Lists** have commas between; in the file they may be arrays.",
    "- A variable that is empty is one that is not set.",
    "- What a setting cannot be is refused at the start, under the name that gave it.",
    "- A file with `databaseUrl`, `admin.apiKey` or `metrics.token` holds secrets: let nobody else read it. They are never",
    "  printed.",
    "- All nodes that share a database should have the same settings, apart from their addresses and roles.",
    "",
    "Programs that embed Errata provide the service `ErrataConfig` with the settings of the instance as values; those of",
    "the server are theirs to choose.",
    "",
    "## The server",
    "",
    "| setting | variable | option | default | |",
    "|---|---|---|---|---|",
    ...serverSettings.map(
      ({ description, fallback, option, path, variable }) =>
        `| \`${path}\` | \`${variable}\` | ${option === null ? "" : `\`${option}\``} | ${fallback} | ${description} |`,
    ),
    "",
    "## The instance",
    "",
    ...groups().flatMap(({ about, settings, title }) => [
      `### ${title}`,
      "",
      ...(about === undefined ? [] : [about, ""]),
      "| setting | variable | default | must be | |",
      "|---|---|---|---|---|",
      ...settings.map(
        ({ defaultText, description, expected, path, variable }) =>
          `| \`${path}\` | \`${variable}\` | ${defaultText} | ${expected} | ${description} |`,
      ),
      "",
    ]),
  ].join("\n")

// internal

const example = `{
  "port": 8080,
  "baseUrl": "https://errors.example.com",
  "corsOrigins": ["https://app.example.com"],
  "ingestLimits": { "maxTags": 50, "maxBodyBytes": "8 MiB" },
  "setAside": { "maxAge": "30 days" }
}`

const abouts: Readonly<Record<string, string>> = {
  ingestLimits:
    "What an application may send. Over some a request is refused, as they say; over the others the event is kept, the rest cut, and the cut named in `ingest_truncations`.",
  policies: "What the policies say until an admin changes them.",
}

interface Group {
  readonly title: string
  readonly about: string | undefined
  readonly settings: ReadonlyArray<ListedSetting>
}

/** By the first part of their names; those without a second part come first. */
function groups(): ReadonlyArray<Group> {
  const titles = new Set(
    listedSettings.map(({ path }) => (path.includes(".") ? path.slice(0, path.indexOf(".")) : "")),
  )
  return ["", ...[...titles].filter((title) => title !== "")].map((title) => ({
    title: title === "" ? "General" : `\`${title}\``,
    about: abouts[title],
    settings: listedSettings.filter(({ path }) =>
      title === "" ? !path.includes(".") : path.startsWith(`${title}.`),
    ),
  }))
}

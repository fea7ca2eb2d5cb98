/** `docs/configuration.md`, written from the descriptions of the settings. */
import { commonPaths, configurationSections } from "./ConfigurationSections.js"
import { listedSettings } from "./InstanceSettings.js"
import { serverSettings } from "./ServerSettings.js"

/** The whole page, in Markdown. Throws if a setting has no section, or two. */
export const configurationPage = (): string =>
  [
    "<!-- Written by npm run docs:configuration from the settings. -->",
    "# Configuration",
    "",
    "```sh",
    "ERRATA_PORT=8080 errata serve      # environment variable",
    "errata serve --port 8080           # flag",
    "errata serve --config errata.json  # file, or ERRATA_CONFIG",
    "errata config                      # prints all values",
    "```",
    "",
    "Precedence: command-line flags, then environment variables, then the file, then defaults. `errata config` takes the flags",
    "of `errata serve`, and reports invalid values as the server does.",
    "",
    "## Common settings",
    "",
    ...commonTable(),
    "",
    "The rate limit and the retention are *policies*, which admins change while the server runs. A policy that an admin has changed",
    "takes precedence over the settings that begin with `policies.`:",
    "",
    "```sh",
    "errata policies set ingest-protection global_rate_limit_per_minute=20000    # errors; default: 3000",
    "errata policies set error-retention retention_period_days=30                # default: 90",
    "```",
    "",
    "## How to write settings",
    "",
    "- An empty **environment variable** counts as unset.",
    "- The **file** is JSON. Nest the settings, or use the whole name as the key. Unknown names are rejected. `serve`, `config`,",
    "  `status`, `migrate`, `users` and `dead-letters` read it.",
    "- **Durations**: `5 seconds`, `500 millis`, `2 minutes`, `1 hour`, `90 days`, `PT5S`, or a number of milliseconds.",
    "- **Sizes**: `16 MiB`, `64 KiB`, `1 GiB`, or a number of bytes.",
    "- **Lists**: values separated by commas, or an array in the file.",
    "- **Secrets**: `databaseUrl`, `databaseWorkerUrls`, `encryptionKey`, `admin.apiKey` and `metrics.token`. Errata never prints them. If the file",
    "  has one, restrict who can read it.",
    "",
    "```json",
    example,
    "```",
    "",
    "Errata rejects an invalid value at the start, with the name of the flag, the variable or the setting. Give all nodes of a",
    "database the same settings, except addresses and roles.",
    "",
    "If you [embed Errata](embedding.md), pass `settings` to `createErrata`, such as `{ recorder: { workers: 1 } }`. You can set",
    "`serviceName`, `allowPrivateAddresses`, and everything in [Ingest protection](#ingest-protection) and the sections after it.",
    "",
    ...sectionRows().flatMap(({ about, rows, title }) => [
      `## ${title}`,
      "",
      ...(about === undefined ? [] : [about, ""]),
      "| Setting, variable, flag | Default | Values | Description |",
      "|---|---|---|---|",
      ...rows.map(
        (row) =>
          `| ${namesOf(row)} | ${row.fallback} | ${row.values.replaceAll("<", "&lt;")} | ${row.description} |`,
      ),
      "",
    ]),
    "Next: [Deployment](deployment.md), [Operations](operations.md).",
    "",
  ].join("\n")

// internal

interface Row {
  readonly path: string
  readonly option: string | null
  readonly variable: string
  readonly fallback: string
  readonly values: string
  readonly description: string
}

const example = `{
  "port": 8080,
  "baseUrl": "https://errors.example.com",
  "corsOrigins": ["https://app.example.com"],
  "ingestLimits": { "maxTags": 50, "maxBodyBytes": "8 MiB" },
  "deadLetters": { "maxAge": "30 days" }
}`

/** Omits words that the column already contains. */
const valuesOf = (expected: string): string =>
  expected.replace(/^a (whole number|size|duration|port|number) from /, "")

const allRows: ReadonlyArray<Row> = [
  ...serverSettings.map((setting) => ({ ...setting, values: valuesOf(setting.expected) })),
  ...listedSettings.map((setting) => ({
    ...setting,
    option: null,
    fallback: setting.defaultText,
    values: valuesOf(setting.expected),
  })),
]

const rowOf = (path: string): Row => {
  const row = allRows.find((each) => each.path === path)
  if (row === undefined) throw new Error(`The configuration page lists ${path}, which is no setting`)
  return row
}

/** Its name, its variable, and its flag if it has one. */
const namesOf = ({ option, path, variable }: Row): string =>
  [path, variable, ...(option === null ? [] : [option])].map((name) => `\`${name}\``).join("<br>")

const commonTable = (): ReadonlyArray<string> => [
  "| Setting, variable, flag | Default | Description |",
  "|---|---|---|",
  ...commonPaths.map(rowOf).map((row) => `| ${namesOf(row)} | ${row.fallback} | ${row.description} |`),
]

/** The rows of each section, in its order. */
function sectionRows() {
  const left = new Set(allRows)
  const take = (path: string): ReadonlyArray<Row> => {
    const rows = path.endsWith(".") ? [...left].filter((row) => row.path.startsWith(path)) : [rowOf(path)]
    for (const row of rows) {
      if (!left.delete(row)) throw new Error(`The configuration page lists ${row.path} twice`)
    }
    return rows
  }
  const sections = configurationSections.map((section) => ({ ...section, rows: section.paths.flatMap(take) }))
  const [missing] = left
  if (missing !== undefined) throw new Error(`The configuration page does not list ${missing.path}`)
  return sections
}

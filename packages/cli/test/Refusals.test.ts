/** Invalid usage: one line that names the option or variable, and an exit code. Nothing is started. */
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Cli from "./api/support/Cli.js"
import * as Server from "./support/Server.js"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "errata-refusals-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Env = Readonly<Record<string, string>>

/** Returns the message and exit code of a command line that must fail. */
const complaintOf = ({ code, stderr, stdout }: Awaited<ReturnType<typeof Server.run>>) => {
  expect(stdout).toBe("")
  expect(stderr).toMatch(/^errata: .+\n$/)
  return { code, complaint: stderr.slice("errata: ".length, -1) }
}

const quiet = { ERRATA_LOG_LEVEL: "none" }

/** Runs the command in its own process. */
const refused = async (line: ReadonlyArray<string>, env: Env = {}) =>
  complaintOf(await Server.run(line, { ...quiet, ...env }))

/** Runs the command in this process, since it fails before anything starts. */
const refusedHere = async (line: ReadonlyArray<string>, env: Env = {}) =>
  complaintOf(await Effect.runPromise(Cli.errata(line, { env: { ...quiet, ...env } })))

const databaseUrl = "must be the URL of a PostgreSQL database: postgres://user:password@host:port/database"

const mailUrl = "smtp://errata:secret-of-mail@127.0.0.1:2525"
const mailFrom = "errata@example.com"

const wrong: ReadonlyArray<readonly [line: string, env: Env, complaint: string]> = [
  [
    "serve",
    { ERRATA_SMTP_URL: "https://errata:secret-of-mail@127.0.0.1" },
    "ERRATA_SMTP_URL must be the URL of a mail server: smtp://user:password@host:587, or smtps:// for TLS from the start",
  ],
  [
    "serve",
    { ERRATA_SMTP_URL: mailUrl },
    "ERRATA_SMTP_URL requires a sender. Set ERRATA_MAIL_FROM, such as errata@example.com",
  ],
  [
    "serve",
    { ERRATA_SMTP_URL: mailUrl, ERRATA_MAIL_FROM: "Errata" },
    'ERRATA_MAIL_FROM must be a sender such as errata@example.com, or Errata <errata@example.com>, not "Errata"',
  ],
  [
    "serve",
    { ERRATA_SMTP_URL: mailUrl, ERRATA_MAIL_FROM: mailFrom },
    "ERRATA_SMTP_URL requires the public address of the server for the links in mail. Set ERRATA_BASE_URL",
  ],
  [
    "serve",
    { ERRATA_ARCHIVE_AFTER_WEEKS: "4" },
    "ERRATA_ARCHIVE_AFTER_WEEKS requires a store outside the database. Set ERRATA_BLOBS to a folder or S3",
  ],
  ["serve --port 70000", {}, `--port must be a port from 0 to 65535, not "70000"`],
  ["serve --port -1", {}, `--port must be a port from 0 to 65535, not "-1"`],
  ["serve --port abc", {}, `--port must be a port from 0 to 65535, not "abc"`],
  ["serve", { ERRATA_PORT: "abc" }, `ERRATA_PORT must be a port from 0 to 65535, not "abc"`],
  ["serve --host=", {}, '--host must be a host name or an IP address, not ""'],
  [
    "serve --storage disk",
    {},
    'Invalid value for flag --storage: "disk". Expected: "memory" | "embedded" | "postgres". See errata serve --help',
  ],
  ["serve", { ERRATA_STORAGE: "disk" }, `ERRATA_STORAGE must be memory, embedded or postgres, not "disk"`],
  ["serve --roles cook", {}, `--roles must be web, worker or both, not "cook"`],
  ["serve", { ERRATA_ROLES: "web,cook" }, `ERRATA_ROLES must be web, worker or both, not "web,cook"`],
  [
    "serve --storage memory --roles worker",
    {},
    "Memory storage cannot be shared with other nodes, so it requires both roles, not only worker. Use another storage, or the roles web,worker",
  ],
  [
    "serve --storage postgres",
    {},
    "--storage postgres requires a database. Give --database-url or set DATABASE_URL.",
  ],
  // Not repeated, as it may contain a password.
  ["serve --database-url nonsense", {}, `--database-url ${databaseUrl}`],
  ["serve --database-url mysql://a:b@c/d", {}, `--database-url ${databaseUrl}`],
  ["users list", { DATABASE_URL: "mysql://a:b@c/d" }, `DATABASE_URL ${databaseUrl}`],
  [
    "serve --database-url postgres://a@b/c --data-dir d",
    {},
    "--data-dir selects an embedded database and --database-url another one. Give only one of them",
  ],
  [
    "serve --database-url postgres://a@b/c --storage memory",
    {},
    "--database-url requires --storage postgres, not --storage memory",
  ],
  [
    "serve --data-dir d --storage postgres",
    {},
    "--data-dir requires --storage embedded, not --storage postgres",
  ],
  [
    "serve --log-level nope",
    {},
    `--log-level must be all, trace, debug, info, warning, error, fatal or none, not "nope"`,
  ],
  [
    "serve",
    { ERRATA_LOG_LEVEL: "nope" },
    `ERRATA_LOG_LEVEL must be all, trace, debug, info, warning, error, fatal or none, not "nope"`,
  ],
  ["serve --log-format=xml", {}, `--log-format must be pretty, logfmt or json, not "xml"`],
  ["serve", { ERRATA_LOG_FORMAT: "xml" }, `ERRATA_LOG_FORMAT must be pretty, logfmt or json, not "xml"`],
  ["serve", { ERRATA_BASE_URL: "ftp://x" }, `ERRATA_BASE_URL must be an http or https URL, not "ftp://x"`],
  ...["ftp://x", "file:///", "file:///a%2Fb", "s3:///prefix", "/uploads"].map(
    (place) =>
      [
        "serve",
        { ERRATA_BLOBS: place },
        `ERRATA_BLOBS must be database, file:///an/absolute/path or s3://bucket/prefix/, not "${place}"`,
      ] as const,
  ),
  [
    "serve",
    { ERRATA_CORS_ORIGINS: "https://a.example.com/,*" },
    `ERRATA_CORS_ORIGINS must be origins separated by commas, such as https://app.example.com, or *, not "https://a.example.com/,*"`,
  ],
  [
    "serve",
    { ERRATA_BACKGROUND_INTERVAL: "10 millis" },
    `ERRATA_BACKGROUND_INTERVAL must be a duration from 1 second to 1 hour, not "10 millis"`,
  ],
  [
    "config",
    { ERRATA_RECORDER_WORKERS: "-1" },
    `ERRATA_RECORDER_WORKERS must be a whole number from 1 to 16, not "-1"`,
  ],
  [
    "dead-letters list",
    { ERRATA_DEAD_LETTERS_BYTES: "much" },
    `ERRATA_DEAD_LETTERS_BYTES must be a size from 1 MiB to 64 GiB, not "much"`,
  ],
  [
    "config",
    { ERRATA_INGEST_LIMITS_MAX_BODY_BYTES: "64 MiB" },
    `ERRATA_INTAKE_MAX_WAITING_BYTES must be at least ERRATA_INGEST_LIMITS_MAX_BODY_BYTES (64 MiB), not "32 MiB"`,
  ],
  [
    "policies set retention enabled=true",
    {},
    'Invalid value for argument <policy>: "retention". Expected: "ingest-protection" | "error-retention" | "artifact-retention" | "hosted-sourcemaps". See errata policies set --help',
  ],
  [
    "users set-role 1 owner",
    {},
    'Invalid value for argument <role>: "owner". Expected: "admin" | "member". See errata users set-role --help',
  ],
  [
    "dead-letters retry x",
    {},
    'Invalid value for argument <id>: "x". Expected: an id. See errata dead-letters retry --help',
  ],
  ["dead-letters retry", {}, "Give the id of a dead letter, or --all."],
  ["dead-letters retry 1 --all", {}, "Give the id of a dead letter, or --all."],
  [
    "dead-letters discard x",
    {},
    'Invalid value for argument <id>: "x". Expected: an id. See errata dead-letters discard --help',
  ],
  [
    "groups list --limit x",
    {},
    'Invalid value for flag --limit: "x". Expected: a whole number. See errata groups list --help',
  ],
  [
    "groups list",
    { ERRATA_URL: "nope", ERRATA_API_KEY: Server.apiKey, ERRATA_PROJECT: "1" },
    "ERRATA_URL must be an http or https URL without credentials, query or fragment.",
  ],
  [
    "groups mute 1 --until yesterday",
    { ERRATA_URL: "http://127.0.0.1:1", ERRATA_API_KEY: Server.apiKey, ERRATA_PROJECT: "1" },
    `--until must be a date, an ISO 8601 timestamp, or a time span (30m, 12h, 7d, 2w), not "yesterday"`,
  ],
]

describe("a wrong command line or environment", () => {
  it.each(wrong)("errata %s %o", async (line, env, complaint) => {
    expect(await refusedHere(line.split(" "), env)).toEqual({ code: 2, complaint })
  })

  it("ends the process with the same status and message", async () => {
    for (const [line, env, complaint] of [wrong[0]!, wrong[3]!]) {
      expect(await refused(line.split(" "), env)).toEqual({ code: 2, complaint })
    }
  })

  it("errata serve with an option without a value", async () => {
    const options = [
      ["--host", `must be a host name or an IP address, not ""`],
      ["--data-dir", `must be the path of a folder, not ""`],
      ["--database-url", databaseUrl],
    ] as const
    for (const [name, must] of options) {
      expect(await refusedHere(["serve", name, ""])).toEqual({ code: 2, complaint: `${name} ${must}` })
    }
  })

  it.each(["users create a@example.com", "users list", "dead-letters list", "dead-letters retry 1"])(
    "errata %s --storage memory",
    async (line) => {
      expect(await refusedHere([...line.split(" "), "--storage", "memory"])).toEqual({
        code: 2,
        complaint: "Memory storage exists only inside its server process. Use the API, or another storage.",
      })
    },
  )
})

describe("a start that fails", () => {
  const serve = (...args: ReadonlyArray<string>) => ["serve", "--port", "0", ...args]

  it("for invalid settings of the first admin", async () => {
    expect(await refused(serve("--storage", "memory"), { ERRATA_ADMIN_EMAIL: "nobody" })).toEqual({
      code: 2,
      complaint: 'ERRATA_ADMIN_EMAIL must be an email address, not "nobody"',
    })
    expect(await refused(serve("--storage", "memory"), { ERRATA_ADMIN_API_KEY: "short" })).toEqual({
      code: 2,
      complaint:
        "ERRATA_ADMIN_API_KEY must be an API key: errata_ and 16 to 200 more ASCII characters without spaces",
    })
  })

  it("for a port that is taken, and an unknown host", async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const { port } = other.address() as AddressInfo
    const { complaint } = await refused(["serve", "--storage", "memory", "--port", String(port)])
    other.close()
    expect(complaint).toBe(
      `Cannot listen on 127.0.0.1:${port}: the port is already in use. Choose another address with --port and --host, or ERRATA_PORT and ERRATA_HOST.`,
    )
    const { complaint: host } = await refused(serve("--storage", "memory", "--host", "192.0.2.1"))
    expect(host).toContain("Cannot listen on 192.0.2.1:0: ")
  })

  it("for an unreachable database", async () => {
    const { code, complaint } = await refused(serve("--database-url", "postgres://a:secret@127.0.0.1:1/d"))
    expect({ code, complaint }).toEqual({
      code: 1,
      complaint:
        "The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check its address, and whether it runs",
    })
  })

  it("for an unusable data folder", async () => {
    const at = join(folder, "refused")
    writeFileSync(at, "")
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"))
    symlinkSync(join(folder, "circle"), join(folder, "circle"))
    const cases: ReadonlyArray<readonly [dataDir: string, detail: string]> = [
      [at, `${at} is a file, not a folder.`],
      [join(at, "a", "b"), `${at} is a file, not a folder.`],
      [
        join(folder, "dangling"),
        `it is a symbolic link to ${join(folder, "nowhere")}, which does not exist.`,
      ],
      [join(folder, "circle", "a"), "its symbolic links form a loop."],
      [join(folder, "x".repeat(300)), "its path is too long."],
    ]
    for (const [dataDir, detail] of cases) {
      const complaint = `The data folder ${dataDir} cannot be used: ${detail}`
      expect(await refused(serve("--data-dir", dataDir))).toEqual({ code: 1, complaint })
      expect(await refusedHere(["users", "list", "--data-dir", dataDir])).toMatchObject({
        code: 1,
        complaint: expect.stringContaining(`The folder ${dataDir} has no database.`),
      })
    }
    expect(existsSync(join(folder, "nowhere"))).toBe(false)
  })

  // Node's recursive `mkdir` never returns there.
  it.runIf(existsSync("/proc/self"))("for a data folder below /proc", async () => {
    expect(await refused(serve("--data-dir", "/proc/errata/data"))).toEqual({
      code: 1,
      complaint:
        "The data folder /proc/errata/data cannot be used: the folder cannot be created. Choose another folder.",
    })
  })
})

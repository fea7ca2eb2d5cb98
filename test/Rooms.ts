/**
 * The rooms of every package, in dependency order: a room may only import earlier ones. A listed file is a room of its
 * own; `.` stands for other files next to the rooms.
 */
export const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: [
    "internal",
    "metric",
    "validation",
    "storage",
    "id",
    "event",
    "search",
    "grouping",
    "config",
    "policy",
    "ErrataConfig.ts",
    "SettingConflicts.ts",
    "encryption",
    "outbound",
    "mail",
    "background",
    "user",
    "project",
    "payload",
    "note",
    "access",
    "identity",
    "oauth",
    "artifact",
    "release",
    "sourcemap",
    "activity",
    "group",
    "report",
    "mapping",
    "triage",
    "markdown",
    "ingest",
    "app",
    "delivery",
    "notification",
    "webhook",
    "alert",
    "dispatch",
    "health",
    "retention",
    "setup",
    "absent",
    "Services.ts",
    "index.ts",
    "ports.ts",
    "internal.ts",
  ],
  sentry: ["."],
  sourcemap: ["script", "bundle", ".", "hosted", "mapping", "index.ts"],
  blobs: ["."],
  notify: ["internal", "mail", "."],
  "storage-memory": ["internal", "."],
  "storage-postgres": ["migrations", "internal", "embedded", "."],
  testing: ["ContractCase.ts", "TestBundle.ts", "Factory.ts", "Given.ts", "TestDecoder.ts", "internal", "."],
  api: [".", "internal", "surface", "internal.ts", "client", "promise", "wire"],
  http: [
    "Version.ts",
    "HttpApp.ts",
    "AcceptedCoding.ts",
    "Links.ts",
    "Brand.ts",
    "ProblemDocument.ts",
    "dashboard",
    "McpHandler.ts",
    "HttpOptions.ts",
    "PlainAnswer.ts",
    "PrometheusText.ts",
    "MetricsPage.ts",
    "Probes.ts",
    "BaseUrl.ts",
    "Bag.ts",
    "BodyAccount.ts",
    "BodyPool.ts",
    "BodyMemory.ts",
    "RequestBody.ts",
    "IngestAnswer.ts",
    "SenderAddress.ts",
    "NodeBody.ts",
    "WebBody.ts",
    "WholeBody.ts",
    "outbound",
    "site",
    "oauth",
    "pages",
    "dialog",
    "upload",
    "rest",
    ".",
  ],
  mcp: [".", "tools", "Tools.ts", "server", "stdio", "index.ts"],
  effect: ["capture", "."],
  errata: ["capture", "web", ".", "testing"],
  dashboard: ["text", "data", "keys", "parts", "pages", "App.tsx", "."],
  cli: ["ErrorOutput.ts", "Size.ts", "Table.ts", "Toggle.ts", "ConfigFile.ts", "Setting.ts", "api", "."],
}

export interface Rule {
  /** Workspace packages that its sources may import. */
  readonly errata: ReadonlyArray<string>
  /** Other allowed imports. */
  readonly others: "any" | ReadonlyArray<string>
}

const everything = [
  "api",
  "blobs",
  "core",
  "http",
  "mcp",
  "notify",
  "sentry",
  "sourcemap",
  "storage-memory",
  "storage-postgres",
  "testing",
]

/** Allowed imports of each package. */
export const rules: Readonly<Record<string, Rule>> = {
  core: { errata: [], others: ["effect", "node:crypto", "node:timers", "node:util"] },
  sentry: { errata: ["core"], others: "any" },
  sourcemap: { errata: ["core"], others: "any" },
  blobs: { errata: ["core"], others: "any" },
  notify: { errata: ["core"], others: "any" },
  "storage-memory": { errata: ["core"], others: "any" },
  "storage-postgres": { errata: ["core"], others: "any" },
  testing: { errata: ["core", "sourcemap"], others: "any" },
  // Everything except `effect` is for the wire suite only. Another test checks the code for browsers.
  api: {
    errata: ["core"],
    others: [
      "effect",
      "ajv",
      "ajv-formats",
      "node:crypto",
      "node:http",
      "node:net",
      "node:timers/promises",
      "vitest",
    ],
  },
  http: { errata: ["api", "core", "sentry"], others: "any" },
  mcp: { errata: ["core"], others: "any" },
  effect: { errata: [], others: ["effect", "node:module", "node:os", "node:path", "node:url", "node:util"] },
  errata: {
    errata: [
      "api",
      "core",
      "effect",
      "http",
      "mcp",
      "sentry",
      "sourcemap",
      "storage-memory",
      "storage-postgres",
    ],
    others: "any",
  },
  dashboard: { errata: ["api", "core"], others: "any" },
  cli: { errata: everything, others: "any" },
}

/** Services of the core that need more than their own room. They belong to the named room in the order. */
const standsWith: Readonly<Record<string, string>> = {
  "mail/AccountMails.ts": "group",
  "user/UserAccess.ts": "access",
  "user/Users.ts": "oauth",
  "project/Members.ts": "access",
  "project/ProjectMuter.ts": "triage",
  "project/Projects.ts": "triage",
  "note/AutomatedNote.ts": "group",
  "note/Notes.ts": "group",
  "policy/Policies.ts": "ingest",
}

/** The room of a path below `src`, or undefined if the order lacks it. */
export const roomOf = (order: ReadonlyArray<string>, path: string): string | undefined => {
  const other = standsWith[path]
  if (other !== undefined && order.includes(other)) return other
  const [first = "", ...rest] = path.split("/")
  if (order.includes(first)) return first
  // Internal folders belong to the package itself, unless the order lists them.
  return order.includes(".") && (rest.length === 0 || first === "internal") ? "." : undefined
}

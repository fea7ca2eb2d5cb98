import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import type { ErrorEvent, ExceptionValue, Frame, LogEntry, Thread } from "../../src/event/ErrorEvent.js"
import { titleOf } from "../../src/event/EventTitle.js"
import { group } from "../../src/grouping/GroupingV2.js"
import { eventOf } from "../report/events.js"

/** The project's own samples. */
const samples = resolve(import.meta.dirname, "../../../../test/samples/events")

/** Real events, stored outside of the repository. */
const root = resolve(import.meta.dirname, "../../../../../shared/data")
const isThere = existsSync(root)

const jsonFilesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()

const jsonFiles = (folder: string) => jsonFilesIn(join(root, folder))

/** The files whose events share a group. */
const sharing = (paths: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const keys = new Map<string, Array<string>>()
  for (const path of paths) {
    const { key } = group(read(path))
    keys.set(key, [...(keys.get(key) ?? []), basename(path)])
  }
  return [...keys.values()].filter((files) => files.length > 1)
}

describe("groups and titles of our own samples", () => {
  const paths = jsonFilesIn(samples).map((file) => join(samples, file))

  it("are shared only by one error in two browsers", () => {
    expect(paths.length).toBeGreaterThan(12)
    expect(sharing(paths)).toEqual([["javascript-chrome.json", "javascript-firefox.json"]])
  })

  it.each([
    ["python-django.json", "BasketError", "the basket 17 has no price", "/basket/{id}/"],
    ["python-log-message.json", "Message", "12 loaves for Ben are late", ""],
    [
      "java-spring.json",
      "MillException",
      "No flour: The mill stands still",
      "example.mill.MillController in handle",
    ],
    ["native-crash.json", "SIGSEGV / SEGV_MAPERR", "0x10", "oven::Door::open"],
    ["legacy-raven.json", "Message", "Dough on the floor", "bakery.tasks in knead"],
    [
      "message-with-stack.json",
      "Message",
      "The oven is warm",
      "https://shop.example/static/oven.js in watch",
    ],
  ])("%s has the title %s", (file, errorType, errorMessage, culprit) => {
    expect(titleOf(read(join(samples, file)))).toEqual({ errorType, errorMessage, culprit })
  })
})

const foldersOfEvents = ["events/bugsink", "events/glitchtip", "events/sentry", "paired/incoming_events"]

describe.runIf(isThere)("groups of real events", () => {
  it("are shared only by events of the same error", () => {
    const shared = sharing(
      foldersOfEvents.flatMap((folder) => jsonFiles(folder).map((file) => join(root, folder, file))),
    )
    expect(shared).toEqual([
      // Two reports of one log message on different days.
      ["111.json", "130.json"],
      // One error with its log entry in two unusual forms.
      ["top-level-logentry-as-str.json", "top-level-message-as-str.json"],
      // One event in two folders.
      ["dotnet_divide_zero.json", "dotnet_divide_zero.json"],
      // One native crash, with and without system symbols. The third is another crash, but anonymization gave all its
      // application functions the same name.
      ["group_307_event_307.json", "group_307_event_657.json", "native1-xou.json"],
      // One error in four browsers.
      [
        "javascript-xbrowser-chrome.json",
        "javascript-xbrowser-edge.json",
        "javascript-xbrowser-firefox.json",
        "javascript-xbrowser-safari.json",
      ],
      // Anonymized function names, where only the system frames around them differed.
      ["mobile1-xht.json", "mobile1-xoo.json", "mobile1-xph.json", "mobile1-xra.json"],
    ])
  })
})

describe.runIf(isThere)("titles of real events", () => {
  // Here messages have the type `Message`, there none. Here frames are `file in function`, there `function(file)`.
  const culpritsOfOurs: Readonly<Record<string, string>> = {
    "js_event_with_unix_timestamp.json": "http://localhost:4201/vendor.js in viewWrappedDebugError",
    "small_js_error.json": "http://127.0.0.1:8080/dist/bundle.js",
  }

  if (!isThere) it("agree with those of another tracker", () => {})

  it.each(isThere ? jsonFiles("paired/incoming_events") : [])(
    "agree with those of another tracker: %s",
    (file) => {
      const theirs = record(JSON.parse(readFileSync(join(root, "paired/oss_sentry_events", file), "utf8")))
      const metadata = record(theirs.metadata)
      expect(titleOf(read(join(root, "paired/incoming_events", file)))).toEqual({
        errorType: metadata.type ?? "Message",
        errorMessage: metadata.value ?? metadata.title,
        culprit: culpritsOfOurs[file] ?? theirs.culprit,
      })
    },
  )
})

// internal: as much of the protocol as these files need. `@errata/sentry` has the decoder and its tests.

type Fields = Readonly<Record<string, unknown>>

const record = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {}

const list = (value: unknown): ReadonlyArray<Fields> => {
  const values = Array.isArray(value) ? value : (record(value).values ?? [])
  return Array.isArray(values) ? values.map(record) : []
}

const present = <A extends object>(fields: A): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as A

const frames = (owner: Fields): ReadonlyArray<Frame> => list(record(owner.stacktrace).frames).map(present)

function read(path: string): ErrorEvent {
  const event = record(JSON.parse(readFileSync(path, "utf8")))
  const exceptions = list(event.exception ?? event["sentry.interfaces.Exception"]).map(
    (exception): ExceptionValue => present({ ...exception, frames: frames(exception) }),
  )
  const threads = list(event.threads).map((thread): Thread => present({ ...thread, frames: frames(thread) }))
  return eventOf(
    {
      exceptions,
      threads,
      transaction: String(event.transaction ?? event.culprit ?? ""),
      logentry: logEntry(event.logentry ?? event.message ?? event["sentry.interfaces.Message"]),
      custom_fingerprint: Array.isArray(event.fingerprint) ? event.fingerprint.map(String) : null,
    },
    { platform: String(event.platform ?? "other") },
  )
}

function logEntry(value: unknown): LogEntry | null {
  if (typeof value === "string") return value === "" ? null : { formatted: value }
  const { formatted, message, params } = record(value)
  if (typeof message !== "string" && typeof formatted !== "string") return null
  let text = String(formatted ?? message)
  if (formatted === undefined || formatted === null) {
    const values = Object.entries(record(params))
    for (const [name, param] of values)
      text = text.replace(`{${name}}`, String(param)).replace("%s", String(param))
  }
  return {
    formatted: text,
    ...(typeof message === "string" ? { message } : {}),
    ...(params ? { params: record(params) as never } : {}),
  }
}

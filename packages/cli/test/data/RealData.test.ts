/** Samples and real data through a running server: events answered with 200 can be read back, from either endpoint. */
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Rest from "../support/Rest.js"
import * as Server from "../support/Server.js"
import * as Encodings from "./support/Encodings.js"
import * as EnvelopeItems from "./support/EnvelopeItems.js"
import * as Outline from "./support/Outline.js"
import * as RealData from "./support/RealData.js"
import { concurrency, Errata, post, prepare, roundTrip, routes } from "./support/Sending.js"

const storages = {
  memory: Layer.effect(Errata, Server.start(["--storage", "memory"])),
  PostgreSQL: Layer.effect(
    Errata,
    Effect.flatMap(freshDatabase, (url) => Server.start([], { DATABASE_URL: Redacted.value(url) })),
  ),
}

/** Expected differences from the other tracker's responses, with the reasons. */
const differences = [
  {
    file: "django_message_params.json",
    field: "error_type",
    theirs: undefined,
    ours: "Message",
    reason:
      "A message has no type there and a title of another shape; here every report has type and message.",
  },
  {
    file: "django_message_params.json",
    field: "error_message",
    theirs: undefined,
    ours: "Here is a new error",
    reason: "The same text, which stands in `metadata.title` there because a message has no value.",
  },
  {
    file: "python_logging.json",
    field: "error_type",
    theirs: undefined,
    ours: "Message",
    reason: "As above: a message.",
  },
  {
    file: "python_logging.json",
    field: "error_message",
    theirs: undefined,
    ours: "This is a warning: warning",
    reason: "As above: the same text from `metadata.title`.",
  },
  {
    file: "js_event_with_unix_timestamp.json",
    field: "culprit",
    theirs: "viewWrappedDebugError(/vendor.js)",
    ours: "http://localhost:4201/vendor.js in viewWrappedDebugError",
    reason: "One form for all platforms, `file in function`; the file as it was sent, with its origin.",
  },
  {
    file: "small_js_error.json",
    field: "culprit",
    theirs: "?(/dist/bundle.js)",
    ours: "http://127.0.0.1:8080/dist/bundle.js",
    reason: "As above, with the file's origin. `?` is a function without a name.",
  },
]

const answerOf = ({ body, status }: { readonly body: Buffer; readonly status: number }) =>
  `${status} ${body.toString()}`

const accepted = (event: RealData.Fields) => `200 {"id":"${event.event_id}"}`

/** Returns the names that occur in a list in this order. */
const inOrder = (names: ReadonlyArray<string>, list: ReadonlyArray<string>) => {
  let from = 0
  return names.filter((name) => {
    const at = list.indexOf(name, from)
    if (at !== -1) from = at + 1
    return at !== -1
  })
}

describe.each(Object.keys(storages) as Array<keyof typeof storages>)(
  RealData.isThere ? "samples and real data on %s" : "samples on %s (real data is not there)",
  (storage) => {
    const samples = RealData.allEvents()

    layer(storages[storage], { excludeTestServices: true })((it) => {
      for (const encoding of Encodings.encodings) {
        it.effect(`every event in ${encoding.name}, as an envelope's item and through store`, () =>
          Effect.gen(function* () {
            expect(samples.length).toBeGreaterThan(RealData.isThere ? 100 : 13)
            const server = yield* Errata
            const project = yield* Rest.createProject(server, encoding.name)
            const sent = samples.flatMap(({ data, name }) =>
              routes.map((route) => ({
                name: `${name} through ${route.endpoint}`,
                route,
                event: prepare(data),
              })),
            )
            const answers = yield* Effect.forEach(
              sent,
              ({ event, route }) =>
                post(project, route.endpoint, encoding.encode(route.bodyOf(event)), encoding.header),
              { concurrency },
            )
            expect(answers.map(answerOf)).toEqual(sent.map(({ event }) => accepted(event)))

            yield* Rest.recorded(server, project, sent.length)
            const reports = yield* Effect.forEach(
              sent,
              ({ event }) => Rest.report(server, project, String(event.event_id)),
              { concurrency },
            )
            expect(
              reports.map((report, i) => ({
                name: sent[i]!.name,
                ...Outline.ofReport(report, sent[i]!.event),
              })),
            ).toEqual(sent.map(({ event, name }) => ({ name, ...Outline.ofEvent(event) })))
            // Both endpoints produce the same report; the positions follow `routes`.
            for (let i = 0; i < reports.length; i += routes.length) {
              const [first, ...others] = reports.slice(i, i + routes.length).map(Outline.ofContent)
              for (const other of others) expect(other, sent[i]!.name).toBe(first)
            }
          }),
        )
      }

      it.effect("every envelope of our own is accepted, except the truncated one", () =>
        Effect.gen(function* () {
          const project = yield* Rest.createProject(yield* Errata, "our own envelopes")
          const answers = yield* Effect.forEach(RealData.ownEnvelopes(), ({ data, name }) =>
            Effect.map(post(project, "envelope", EnvelopeItems.withoutDsn(data)), ({ status }) => ({
              name: RealData.baseName(name),
              status,
            })),
          )
          expect(answers.length).toBeGreaterThan(8)
          expect(answers.filter(({ status }) => status !== 200)).toEqual([
            { name: "cut-short.txt", status: 400 },
          ])
          // Three of the files belong to the same event.
          yield* Rest.recorded(yield* Errata, project, 1)
          const report = yield* Rest.eventually(
            Rest.report(yield* Errata, project, "c1".repeat(16)),
            ({ attachments }) => attachments.length > 0,
          )
          expect(report.error_message).toBe("The mail did not go out")
        }),
      )

      it.effect.runIf(RealData.isThere)(
        "every envelope gets the expected status, and its event and attachments can be read",
        () =>
          Effect.gen(function* () {
            const server = yield* Errata
            const project = yield* Rest.createProject(server, "envelopes")
            const all = RealData.envelopes().map(({ data, name }) => ({
              name: RealData.baseName(name),
              ...EnvelopeItems.read(data),
            }))
            const isEvent = (item: EnvelopeItems.Item) => item.type === "event"
            // Some files have only attachments of an event in another file. Send them after that event.
            const first = all.filter(({ items }) => items.some(isEvent))
            const sent = [...first, ...all.filter((envelope) => !first.includes(envelope))]
            const send = ({ body }: EnvelopeItems.Envelope) => post(project, "envelope", body)
            const firstAnswers = yield* Effect.forEach(first, send)
            const taken = firstAnswers.filter(({ status }) => status === 200).length
            yield* Rest.recorded(server, project, taken)
            const answers = [...firstAnswers, ...(yield* Effect.forEach(sent.slice(first.length), send))]
            const refused = sent.filter((_, i) => answers[i]!.status !== 200).map(({ name }) => name)
            expect(refused).toEqual([
              "envelope_with_screenshot.bin",
              "continuous_profiling__profile_chunk_1.txt",
            ])
            for (const [i, { status, headers, body }] of answers.entries()) {
              if (status === 200) continue
              expect(status, sent[i]!.name).toBe(400)
              expect(headers.get("x-sentry-error"), sent[i]!.name).toBe("invalid_envelope")
              expect(JSON.parse(body.toString()), sent[i]!.name).toMatchObject({
                causes: ["invalid_envelope"],
              })
            }

            const withEvent = sent.flatMap(({ items, name }, i) => {
              const event = items.find(isEvent)
              if (event === undefined || answers[i]!.status !== 200) return []
              const { id } = JSON.parse(answers[i]!.body.toString()) as { readonly id: string }
              return [{ name, event: JSON.parse(event.payload.toString()) as RealData.Fields, id }]
            })
            expect(withEvent.map(({ name }) => name)).toEqual([
              "Capture.Message.in.a.transaction.txt",
              "attachments__envelope_with_css.txt",
              "attachments__envelope_with_html.txt",
              "attachments__envelope_with_js.txt",
              "attachments__envelope_with_text.txt",
              "envelope_binary.bin",
              "envelope_javascript.txt",
              "envelope_with_nextjs_ansi_escapes.txt",
            ])
            for (const { event, id, name } of withEvent) {
              const attachmentsOf = ({ items }: EnvelopeItems.Envelope) =>
                items
                  .filter(({ type }) => type === "attachment")
                  .map(({ filename, payload }) => `${filename} ${payload.length}`)
              const envelopes = sent.filter(({ eventId }) => eventId === id).map(attachmentsOf)
              const attachments = envelopes.flat()
              const report = yield* Rest.eventually(
                Rest.report(server, project, id),
                (answer) => answer.attachments.length >= attachments.length,
              )
              const whole = { platform: "other", ...event, event_id: id }
              expect({ name, ...Outline.ofReport(report, whole) }).toEqual({
                name,
                ...Outline.ofEvent(whole),
              })
              const found = report.attachments.map(({ filename, size }) => `${filename} ${size}`)
              expect(found.toSorted(), name).toEqual(attachments.toSorted())
              // Envelopes are recorded in any order, but the items of each keep theirs.
              for (const envelope of envelopes) expect(inOrder(envelope, found), name).toEqual(envelope)
            }
          }),
      )

      it.effect.runIf(RealData.isThere)(
        "one error in four browsers is one group, and so is a repeated native crash",
        () =>
          Effect.gen(function* () {
            const { project, reports } = yield* roundTrip(
              "groups",
              samples.filter(({ name }) => /javascript-xbrowser-|group_307_event_/.test(name)),
            )
            const groups = yield* Rest.groups(yield* Errata, project)
            expect(reports).toHaveLength(6)
            expect(
              groups.map(({ error_type, reports_count }) => `${reports_count} of ${error_type}`).sort(),
            ).toEqual(["2 of EXC_BAD_ACCESS / EXC_I386_GPFLT", "4 of Error"])
            const groupsOf = (kind: RegExp) =>
              new Set(reports.filter(({ name }) => kind.test(name)).map(({ report }) => report.group_id)).size
            expect([groupsOf(/xbrowser/), groupsOf(/group_307/)]).toEqual([1, 1])
          }),
      )

      it.effect.runIf(RealData.isThere)(
        "titles and culprits agree with those of another tracker, with listed exceptions",
        () =>
          Effect.gen(function* () {
            const { reports } = yield* roundTrip("paired", RealData.events(["paired/incoming_events"]))
            const answers = RealData.answers()
            expect(reports.map(({ name }) => RealData.baseName(name))).toEqual([...answers.keys()])
            const found = reports.flatMap(({ name, report }) => {
              const file = RealData.baseName(name)
              const { culprit, metadata } = answers.get(file)! as {
                readonly culprit: string
                readonly metadata: { readonly type?: string; readonly value?: string }
              }
              const compared = [
                { file, field: "error_type", theirs: metadata.type, ours: report.error_type },
                { file, field: "error_message", theirs: metadata.value, ours: report.error_message },
                { file, field: "culprit", theirs: culprit, ours: report.culprit },
              ]
              return compared.filter(({ ours, theirs }) => ours !== theirs)
            })
            const byPlace = (a: (typeof found)[number], b: (typeof found)[number]) =>
              `${a.file} ${a.field}`.localeCompare(`${b.file} ${b.field}`)
            expect(found.sort(byPlace)).toEqual(
              differences.map(({ reason: _, ...difference }) => difference).sort(byPlace),
            )
          }),
      )
    })
  },
)

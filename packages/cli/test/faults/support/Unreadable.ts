/** Accepted events that are unreadable when they are recorded. */
import { Effect, Redacted } from "effect"
import { expect } from "vitest"
import * as Server from "../../support/Server.js"
import * as Events from "./Events.js"
import * as Http from "./Http.js"
import * as Instance from "./Instance.js"
import * as Queue from "./Queue.js"

/** The intake now rejects such a body. */
const notJson = `{"message": "cut off by the sender, "platform": }`

/**
 * Accepts events on a node that does not record, then replaces some with unreadable bodies, as a disk fault or an older
 * version could have left them.
 */
export const acceptUnreadable = (
  database: Redacted.Redacted,
  events: ReadonlyArray<string>,
  spoilt: ReadonlyArray<string>,
) =>
  Effect.gen(function* () {
    const server = yield* Server.start(["--database-url", Redacted.value(database), "--roles", "web"])
    const project = yield* Instance.firstProject(server)
    const answers = yield* Effect.promise(() =>
      Promise.all(
        events.map((id, index) =>
          Http.send(Instance.envelopeUrl(server, project), { body: Events.envelope(id, index) }),
        ),
      ),
    )
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    yield* Queue.replaceBodies(database, (payload) =>
      spoilt.includes(payload.eventId)
        ? Buffer.from(Events.envelopeOf(payload.eventId, notJson))
        : payload.body,
    )
    expect(yield* Effect.promise(() => server.end("SIGTERM"))).toBe(0)
    return project
  })

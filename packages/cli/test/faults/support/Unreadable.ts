/** Accepted events that turn out to be unreadable. */
import { Effect, Redacted } from "effect"
import { expect } from "vitest"
import * as Server from "../../support/Server.js"
import * as Events from "./Events.js"
import * as Http from "./Http.js"
import * as Instance from "./Instance.js"
import * as Queue from "./Queue.js"

/** What no sender gets past the intake any more. */
const notJson = `{"message": "cut off by the sender, "platform": }`

/**
 * Has a node accept events that records nothing, and puts something unreadable in the place of some of them, as a fault
 * of the disk or an older version could.
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

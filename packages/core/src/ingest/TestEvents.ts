import { Context, DateTime, Effect, Layer } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import { generateEventId } from "../access/Secrets.js"
import { PayloadDecoder } from "../payload/PayloadDecoder.js"
import { Intake } from "./Intake.js"

/** Sends example events for users who set up a project. The same limits apply as to all events. */
export class TestEvents extends Context.Service<TestEvents>()("@errata/core/ingest/TestEvents", {
  make: Effect.gen(function* () {
    const decoder = yield* PayloadDecoder
    const intake = yield* Intake

    /** Accepts an example event for the project. Returns its id. */
    const send = Effect.fn("TestEvents.send")(function* ({ project }: AuthorizedProject<"events.send">) {
      const eventId = generateEventId()
      const receivedAt = (yield* DateTime.now).epochMilliseconds
      const example = decoder.example({ eventId, receivedAt })
      yield* intake.accept([{ ...example, projectId: project.id, eventId, receivedAt }])
      return eventId
    })

    return { send }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

/** Calls with a JSON body. */
import type { ProjectRule } from "@errata/core"
import { Effect, type Schema } from "effect"
import * as CalledProjects from "./CalledProjects.js"
import * as Bodies from "./ReleaseBodies.js"
import type { UploadCall } from "./UploadCall.js"

/**
 * Acts on the body as its sender. The body is not read for a sender without a project. It may take minutes to arrive,
 * so the key and its user are checked again before `act`, which checks access to its projects itself.
 */
export const use = <A, I, B, E, R>(
  call: UploadCall,
  rule: ProjectRule,
  schema: Schema.Codec<A, I>,
  act: (body: A) => Effect.Effect<B, E, R>,
) =>
  Effect.gen(function* () {
    yield* CalledProjects.admit(rule, call)
    const body = yield* Bodies.read(call, schema)
    return yield* call.asNow(act(body))
  })

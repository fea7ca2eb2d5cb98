import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { JobStore } from "../../src/background/JobStore.js"
import { GroupStore } from "../../src/group/GroupStore.js"
import { type LeasedReport, SourcemapReportStore } from "../../src/mapping/SourcemapReportStore.js"
import * as SourcemapWorker from "../../src/mapping/SourcemapWorker.js"
import { NoteStore } from "../../src/note/NoteStore.js"
import { PayloadDecoder } from "../../src/payload/PayloadDecoder.js"
import type { ProjectId } from "../../src/project/Project.js"
import type { ReportId } from "../../src/report/Report.js"
import { FrameMapper } from "../../src/sourcemap/FrameMapper.js"
import { Storage } from "../../src/storage/Storage.js"

it.effect("a stop waits only seconds for a hanging storage to release reports", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const leased = [
      { projectId: 1 as ProjectId, reportId: 1 as ReportId, leases: 1, postponed: 0 } as LeasedReport,
    ]
    const stores = Layer.mergeAll(
      Layer.mock(SourcemapReportStore, {
        lease: () => Effect.sync(() => leased.splice(0)),
        find: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never),
        // A sent statement must be awaited, even after an interrupt.
        release: () => Effect.uninterruptible(Effect.never),
      }),
      Layer.mock(JobStore, { heartbeat: () => Effect.void }),
      Layer.mock(FrameMapper, {} as never),
      Layer.mock(GroupStore, {}),
      Layer.mock(NoteStore, {}),
      Layer.mock(PayloadDecoder, {} as never),
      Layer.mock(Storage, {}),
    )
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Layer.provide(SourcemapWorker.layer, stores), scope)
    yield* Deferred.await(begun)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("2 seconds")
    expect(yield* Fiber.join(closing)).toBeUndefined()
  }),
)

/** Decides most events at once: projects without uploads and origins need no lookup per event. */
import type { ProjectId } from "@errata/core"
import { Remembered } from "@errata/core/internal"
import {
  type AtOnce,
  type ErrorEvent,
  type FrameMapper,
  hasScript,
  Inspection,
  unprocessed,
} from "@errata/core/ports"
import { Clock, type Duration, Effect, Option } from "effect"
import type { EventMapper } from "./EventMapper.js"
import { withoutUploads } from "./Resolutions.js"

export const make = (
  { artifacts, candidates, pathOf }: EventMapper,
  life: Duration.Duration,
): FrameMapper["begin"] => {
  const withFiles = new Remembered<ProjectId>(life)

  const refresh = Effect.fnUntraced(function* (projectIds: Iterable<ProjectId>, now: number) {
    const unknown = [...new Set(projectIds)].filter((id) => withFiles.get(id, now) === undefined)
    if (unknown.length === 0) return
    // If the storage fails, it is not queried for each event: recording waits for it anyway.
    const found = yield* Effect.option(artifacts.projectsWithFiles(unknown))
    if (Option.isSome(found)) for (const id of unknown) withFiles.set(id, found.value.has(id), now)
  })

  const look = (projectId: ProjectId, event: ErrorEvent, now: number): ReturnType<AtOnce> => {
    const hasFiles = withFiles.get(projectId, now) !== false
    // All scripts then have the same answer, so checking one is enough.
    if (!hasFiles && event.details.debug_images.length === 0 && candidates.isNothing(projectId, now)) {
      return hasScript(event, pathOf) ? withoutUploads(event, null, null) : unprocessed
    }
    const inspection = Inspection.of(event, pathOf)
    const { scripts } = inspection
    if (scripts.length === 0) return unprocessed
    if (hasFiles) return inspection
    const hosted = candidates.known(projectId, scripts, now)
    return hosted === undefined ? inspection : withoutUploads(event, scripts, hosted)
  }

  return (projectIds) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      yield* refresh(projectIds, now)
      return (projectId, event) => look(projectId, event, now)
    })
}

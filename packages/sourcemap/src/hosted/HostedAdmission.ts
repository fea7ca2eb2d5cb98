/** Limits how many maps a node fetches at the same time, because each may take much memory. */
import type { ProjectId } from "@errata/core"
import { Effect, Semaphore } from "effect"

/** Delays an effect until a permit of its project and one of the node are free. */
export type HostedAdmission = <A, E, R>(
  projectId: ProjectId,
  effect: Effect.Effect<A, E, R>,
) => Effect.Effect<A, E, R>

export const makeAdmission = ({
  concurrency,
  perProject,
}: {
  readonly concurrency: number
  readonly perProject: number
}): HostedAdmission => {
  const all = Semaphore.makeUnsafe(concurrency)
  // Only projects that wait or fetch now.
  const projects = new Map<ProjectId, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  const enter = (projectId: ProjectId) => {
    const project = projects.get(projectId) ?? { semaphore: Semaphore.makeUnsafe(perProject), users: 0 }
    project.users++
    projects.set(projectId, project)
    return project
  }
  return (projectId, effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => enter(projectId)),
      ({ semaphore }) => semaphore.withPermits(1)(all.withPermits(1)(effect)),
      (project) =>
        Effect.sync(() => {
          if (--project.users === 0) projects.delete(projectId)
        }),
    )
}

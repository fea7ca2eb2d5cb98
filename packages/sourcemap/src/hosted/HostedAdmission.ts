/** How many maps a node fetches at the same time: each may take much memory. */
import type { ProjectId } from "@errata/core"
import { Effect, Semaphore } from "effect"

/** Has an effect wait for its turn: those of one project leave room for the others'. */
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
  // Of the projects that somebody is waiting for.
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

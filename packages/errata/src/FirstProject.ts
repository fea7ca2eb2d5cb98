/** The default project of `capture`. */
import type {
  AccessDenied,
  AccessPolicy,
  Project,
  ProjectBinding,
  Projects,
  StorageError,
  ValidationError,
} from "@errata/core"
import { firstProject } from "@errata/core/internal"
import type { ProjectStore } from "@errata/core/ports"
import { Context, Layer } from "effect"

/** The default project of `capture`. */
export class FirstProject extends Context.Service<FirstProject, Project>()("errata/FirstProject") {}

/** The project with the key, created if it is missing. Without a key, the oldest project without one, or a new one. */
export const layer = (
  project: string | ProjectBinding | null,
  isShared = true,
): Layer.Layer<
  FirstProject,
  AccessDenied | StorageError | ValidationError,
  AccessPolicy.AccessPolicy | ProjectStore | Projects
> =>
  Layer.effect(FirstProject, firstProject(typeof project === "string" ? { key: project } : project, isShared))

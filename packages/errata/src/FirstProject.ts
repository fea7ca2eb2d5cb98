/** The default project of `capture`. */
import type {
  AccessDenied,
  AccessPolicy,
  Project,
  Projects,
  StorageError,
  ValidationError,
} from "@errata/core"
import { firstProject } from "@errata/core/internal"
import type { ProjectStore } from "@errata/core/ports"
import { Context, Layer } from "effect"

/** The default project of `capture`. */
export class FirstProject extends Context.Service<FirstProject, Project>()("errata/FirstProject") {}

/** The project of that name, created where it is missing; without a name the oldest one, or a new one. */
export const layer = (
  name: string | null,
): Layer.Layer<
  FirstProject,
  AccessDenied | StorageError | ValidationError,
  AccessPolicy.AccessPolicy | ProjectStore | Projects
> => Layer.effect(FirstProject, firstProject(name))

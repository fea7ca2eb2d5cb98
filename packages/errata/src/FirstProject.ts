/** The project that errors belong to unless told. */
import {
  type AccessDenied,
  type AccessPolicy,
  firstProject,
  type Project,
  type ProjectStore,
  type Projects,
  type StorageError,
  type ValidationError,
} from "@errata/core"
import { Context, Layer } from "effect"

export class FirstProject extends Context.Service<FirstProject, Project>()("errata/FirstProject") {}

/** The project of that name, created where it is missing; without a name the oldest one, or a new one. */
export const layer = (
  name: string | null,
): Layer.Layer<
  FirstProject,
  AccessDenied | StorageError | ValidationError,
  AccessPolicy.AccessPolicy | ProjectStore | Projects
> => Layer.effect(FirstProject, firstProject(name))

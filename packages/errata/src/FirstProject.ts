/** The project that errors belong to unless told. */
import {
  type AccessDenied,
  type AccessPolicy,
  firstProject,
  type Project,
  type ProjectBinding,
  type ProjectStore,
  type Projects,
  type StorageError,
  type ValidationError,
} from "@errata/core"
import { Context, Layer } from "effect"

export class FirstProject extends Context.Service<FirstProject, Project>()("errata/FirstProject") {}

/** The project with that key, created where it is missing; without a key the oldest one that has none, or a new one. */
export const layer = (
  project: string | ProjectBinding | null,
): Layer.Layer<
  FirstProject,
  AccessDenied | StorageError | ValidationError,
  AccessPolicy.AccessPolicy | ProjectStore | Projects
> => Layer.effect(FirstProject, firstProject(typeof project === "string" ? { key: project } : project))

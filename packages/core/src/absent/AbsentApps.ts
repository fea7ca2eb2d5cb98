/** The port of a storage that combines no projects into apps. */
import { Layer } from "effect"
import { AppStore } from "../app/AppStore.js"
import { empty, emptyPage, no, none, refusedBy } from "./Answers.js"

const refused = refusedBy("apps")

export const layer: Layer.Layer<AppStore> = Layer.succeed(AppStore, {
  insert: refused("AppStore.insert"),
  find: none,
  lock: none,
  list: emptyPage,
  rename: no,
  setProjects: empty,
  remove: no,
})

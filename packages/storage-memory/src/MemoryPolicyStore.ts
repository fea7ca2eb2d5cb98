import type { PolicyStore } from "@errata/core/ports"
import type { State } from "./internal/State.js"

export const make = (state: State): PolicyStore["Service"] => ({
  find: (name) => state.read((reader) => state.policies.get(reader, name) ?? {}),
  lock: (name) => state.read((reader) => state.policies.get(reader, name) ?? {}),
  save: (name, settings) => state.write((transaction) => state.policies.set(transaction, name, settings)),
})

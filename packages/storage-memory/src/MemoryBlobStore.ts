import { type BlobStore, DiskUnmeasurable } from "@errata/core/ports"
import { Option } from "effect"
import type { State } from "./internal/State.js"

export const make = (state: State): BlobStore["Service"] => ({
  put: (key, content) =>
    state.write((transaction) => {
      state.blobContents.set(transaction, key, content)
      return content.byteLength
    }),

  get: (key) => state.read((reader) => Option.fromNullishOr(state.blobContents.get(reader, key))),

  remove: (keys) =>
    state.write((transaction) => {
      for (const key of keys) state.blobContents.delete(transaction, key)
    }),

  disk: new DiskUnmeasurable({ reason: "memory storage has no disk", why: "no_disk" }),
})

/** Chunks of uploads, and the leases of their assembly. */
import type { ArtifactStore } from "@errata/core/ports"
import { Duration, Option } from "effect"
import { type ArtifactChunkRow, keyOf, type State } from "./State.js"

export const make = (state: State) =>
  ({
    putChunk: (owner, { content, sha1 }, now) =>
      state.write((transaction) =>
        state.artifactChunks.set(transaction, keyOf(owner ?? 0, sha1), {
          owner,
          sha1,
          content,
          putAt: now.epochMilliseconds,
          settledAt: null,
        }),
      ),

    findChunks: (owner, sha1s) =>
      state.read((reader) =>
        [...new Set(sha1s)].flatMap((sha1) => {
          const chunk = state.artifactChunks.get(reader, keyOf(owner ?? 0, sha1))
          return chunk === undefined ? [] : [{ sha1, size: chunk.content.byteLength }]
        }),
      ),

    readChunk: (owner, sha1) =>
      state.read((reader) =>
        Option.map(
          Option.fromNullishOr(state.artifactChunks.get(reader, keyOf(owner ?? 0, sha1))),
          ({ content }) => content,
        ),
      ),

    openBytes: (owner) =>
      state.read((reader) => {
        let bytes = 0
        for (const [, chunk] of state.artifactChunks.entries(reader)) {
          if (chunk.owner === owner && chunk.settledAt === null) bytes += chunk.content.byteLength
        }
        return bytes
      }),

    settleChunks: (owner, sha1s, now) =>
      state.write((transaction) => {
        for (const sha1 of sha1s) {
          const key = keyOf(owner ?? 0, sha1)
          const chunk = state.artifactChunks.get(transaction, key)
          if (chunk !== undefined) {
            state.artifactChunks.set(transaction, key, { ...chunk, settledAt: now.epochMilliseconds })
          }
        }
      }),

    removeStaleChunks: (before, limit) =>
      state.write((transaction) => {
        const isStale = ({ putAt, settledAt }: ArtifactChunkRow): boolean =>
          putAt < before.put.epochMilliseconds ||
          (settledAt !== null && settledAt < before.settled.epochMilliseconds)
        const stale = [...state.artifactChunks.entries(transaction)]
          .filter(([, chunk]) => isStale(chunk))
          .slice(0, limit)
        for (const [key] of stale) state.artifactChunks.delete(transaction, key)
        return stale.length
      }),

    leaseAssembly: (owner, checksum, holder, duration) =>
      state.write((transaction, now) => {
        const key = keyOf(owner ?? 0, checksum)
        const lease = state.artifactLeases.get(transaction, key)
        if (lease !== undefined && lease.holder !== holder && lease.endsAt > now) return false
        state.artifactLeases.set(transaction, key, { holder, endsAt: now + Duration.toMillis(duration) })
        return true
      }),

    releaseAssembly: (owner, checksum, holder) =>
      state.write((transaction) => {
        const key = keyOf(owner ?? 0, checksum)
        if (state.artifactLeases.get(transaction, key)?.holder === holder) {
          state.artifactLeases.delete(transaction, key)
        }
      }),
  }) satisfies Partial<ArtifactStore["Service"]>

/** Broken artifact stores, for `BrokenStores`. */
import { ArtifactStore, BlobStore } from "@errata/core/ports"
import { Effect, Option } from "effect"
import { type BrokenStore, patch } from "./BrokenStores.js"

export const brokenArtifactStores: ReadonlyArray<BrokenStore> = [
  {
    fault: "leases on uploads that everybody gets",
    break: patch(ArtifactStore, () => ({ leaseAssembly: () => Effect.succeed(true) })),
    fails: { "ArtifactStore chunks": ["leases the assembly of a bundle to one caller at a time"] },
  },
  {
    fault: "chunks that are everybody's",
    break: patch(ArtifactStore, ({ findChunks: find, putChunk: put, readChunk: read }) => ({
      findChunks: (_owner, sha1s) => find(null, sha1s),
      putChunk: (_owner, chunk, now) => put(null, chunk, now),
      readChunk: (_owner, sha1) => read(null, sha1),
    })),
    fails: {
      "ArtifactStore chunks": ["stores chunks by owner: each user and the system find only their own"],
    },
  },
  {
    fault: "contents that are announced while they are removed",
    break: patch(ArtifactStore, () => ({ announceBlobs: () => Effect.succeed([]) })),
    fails: {
      ArtifactStore: ["takes unneeded contents once, and reports them to concurrent uploads"],
    },
  },
  {
    fault: "bundles that are found whosever they are",
    break: patch(ArtifactStore, ({ findByChecksum }) => ({
      findByChecksum: (kind, checksum) => findByChecksum(kind, checksum, null),
    })),
    fails: {
      ArtifactStore: ["finds a checksum in the given projects, except deleted ones"],
    },
  },
  {
    fault: "bundles without a record of their use",
    break: patch(ArtifactStore, () => ({ markUsed: () => Effect.void })),
    fails: {
      ArtifactStore: ["removes old failures and unused bundles, and keeps recently used ones"],
    },
  },
  {
    fault: "contents that are gone as soon as they are put",
    break: patch(BlobStore, () => ({ get: () => Effect.succeed(Option.none()) })),
    fails: {
      BlobStore: ["keeps contents of any size, compressible or not, and shows them to other nodes"],
    },
  },
]

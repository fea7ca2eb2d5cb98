/** How many chunks may come with one request, and how large that may make it. */
import { chunkBytesFor } from "@errata/core/internal"

/** What a request of an upload client may announce as its length before anything else is known of it. */
export const maxRequestBytes = 64 * 1024 * 1024

/** What is announced to build tools, and what is taken of them: whatever they make of the first is within the second. */
export interface ChunkRequests {
  /** A power of two. */
  readonly chunkSize: number
  readonly chunksPerRequest: number
  /** Of the chunks of a request together. */
  readonly maxRequestSize: number
  /** A chunk as it is sent. */
  readonly maxPartBytes: number
  /** The whole body of a request. */
  readonly maxBodyBytes: number
}

/** For chunks of up to so many bytes: fewer come with a request where four would be too large. */
export const of = (chunkBytes: number): ChunkRequests => {
  const chunkSize = chunkBytesFor(chunkBytes)
  const fitting = Math.floor((maxRequestBytes - overheadBytes) / chunkBytes)
  const chunksPerRequest = Math.max(1, Math.min(mostPerRequest, fitting))
  return {
    chunkSize,
    chunksPerRequest,
    maxRequestSize: chunkSize * chunksPerRequest,
    maxPartBytes: chunkBytes + overheadBytes,
    maxBodyBytes: chunkBytes * chunksPerRequest + overheadBytes,
  }
}

// internal

const mostPerRequest = 4

/** What a request may have around its chunks: the headers of its parts, and a little that gzip adds. */
const overheadBytes = 64 * 1024

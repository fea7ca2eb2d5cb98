/** Limits for chunks and for the requests that contain them. */
import { chunkBytesFor } from "@errata/core/internal"

/** The largest `Content-Length` that is accepted before the request is parsed. */
export const maxRequestBytes = 64 * 1024 * 1024

/** Limits that are announced, and limits that are enforced. A request within the announced limits is accepted. */
export interface ChunkRequests {
  /** A power of two. */
  readonly chunkSize: number
  readonly chunksPerRequest: number
  /** Total size of the chunks of a request. */
  readonly maxRequestSize: number
  /** Size of a chunk as it is sent. */
  readonly maxPartBytes: number
  /** Size of the whole body. */
  readonly maxBodyBytes: number
}

/** Limits for chunks of up to `chunkBytes`. A request has fewer than four chunks if four would be too large. */
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

/** Space for the headers of the parts and the overhead of gzip. */
const overheadBytes = 64 * 1024

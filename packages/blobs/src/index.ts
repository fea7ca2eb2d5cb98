/** Blob stores outside the database. Each is also an entry point of its own. */

export * as DirectoryBlobStore from "./directory.js"
export * as S3BlobStore from "./s3.js"

/** Places outside the database for the contents of uploads. Each is also an entry of its own. */

export * as DirectoryBlobStore from "./directory.js"
export * as S3BlobStore from "./s3.js"

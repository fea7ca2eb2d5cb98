/** Sizes as people read them, with one digit behind the point. */

/** In kibibytes below a mebibyte: `12.3 KiB`, `4.0 MiB`. */
export const sizeText = (bytes: number): string =>
  bytes < mebibyte ? `${(bytes / 1024).toFixed(1)} KiB` : megabytes(bytes)

/** In mebibytes, also of what is smaller: figures that are compared with each other. */
export const megabytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`

// internal

const mebibyte = 1024 * 1024

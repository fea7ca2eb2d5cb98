/** Sizes for people, with one decimal place. */

/** Formats in KiB below one MiB: `12.3 KiB`, `4.0 MiB`. */
export const sizeText = (bytes: number): string =>
  bytes < mebibyte ? `${(bytes / 1024).toFixed(1)} KiB` : megabytes(bytes)

/** Formats in MiB, whatever the size, so that figures compare easily. */
export const megabytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`

// internal

const mebibyte = 1024 * 1024

/** Encodes mappings (ECMA-426). Every field except the column is relative to the previous segment. */
export const encodeMappings = (lines: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>): string => {
  const last = [0, 0, 0, 0, 0]
  return lines
    .map((segments) => {
      last[0] = 0
      return segments
        .map((fields) =>
          fields
            .map((field, i) => {
              const delta = field - last[i]!
              last[i] = field
              return vlq(delta)
            })
            .join(""),
        )
        .join(",")
    })
    .join(";")
}

// internal

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const vlq = (value: number): string => {
  let rest = value < 0 ? -value * 2 + 1 : value * 2
  let text = ""
  do {
    const digit = rest % 32
    rest = Math.floor(rest / 32)
    text += alphabet[digit + (rest > 0 ? 32 : 0)]
  } while (rest > 0)
  return text
}

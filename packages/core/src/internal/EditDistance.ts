/** The number of letters to change, insert, delete or swap with their neighbor to turn one word into another. */
export const editDistance = (from: string, to: string): number => {
  const width = to.length + 1
  let twoAbove: ReadonlyArray<number> = []
  let above = Array.from({ length: width }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const here = [row]
    for (let column = 1; column < width; column++) {
      const same = from[row - 1] === to[column - 1]
      let cost = Math.min(above[column]! + 1, here[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1))
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped) cost = Math.min(cost, twoAbove[column - 2]! + 1)
      here.push(cost)
    }
    twoAbove = above
    above = here
  }
  return above[to.length]!
}

/** The word that was probably meant. Null if none is similar, or two are equally similar. */
export const nearestWord = (typed: string, words: ReadonlyArray<string>): string | null => {
  let nearest: string | null = null
  let best = Number.POSITIVE_INFINITY
  for (const word of words) {
    if (Math.abs(word.length - typed.length) > 2) continue
    const distance = editDistance(typed, word)
    // Short words are all similar to each other.
    if (distance > (word.length >= 8 ? 2 : word.length >= 5 ? 1 : 0) || distance > best) continue
    nearest = distance === best ? null : word
    best = distance
  }
  return nearest
}

/** A small seeded generator (xorshift32), so that every run sends the same events. */
export const seeded = (seed) => {
  let state = seed * 2654435761 || 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  const below = (bound) => next() % bound
  return { next, below, pick: (list) => list[below(list.length)] }
}

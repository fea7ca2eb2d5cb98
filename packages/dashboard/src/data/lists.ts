/** Returns all items of a list that is usually short. */
export const allOf = async <T>(list: AsyncIterable<T>): Promise<ReadonlyArray<T>> => {
  const items: Array<T> = []
  for await (const item of list) items.push(item)
  return items
}

/** The health checks of the instance, and the payloads that could not be recorded. For admins only. */
import { api } from "./client.js"
import { type Aborts, cache, pollEvery } from "./query.js"

export const healthQuery = {
  queryKey: ["health"],
  queryFn: ({ signal }: Aborts) => api.health.details({ signal }),
  // The server caches results for up to ten seconds.
  refetchInterval: pollEvery(5_000),
}

/** Newest first. */
export const deadLettersQuery = (cursor: number | undefined) => ({
  queryKey: ["dead-letters", cursor],
  queryFn: ({ signal }: Aborts) => api.deadLetters.list().page({ limit: 25, cursor }, { signal }),
  refetchInterval: pollEvery(10_000),
})

export type DeadLetter = Awaited<
  ReturnType<ReturnType<typeof deadLettersQuery>["queryFn"]>
>["dead_letters"][number]

/** Moves a dead letter back into the queue. */
export const retryDeadLetter = (id: number): Promise<void> => api.deadLetters.retry(id).then(refresh)

/** Deletes a dead letter without recording it. */
export const discardDeadLetter = (id: number): Promise<void> => api.deadLetters.discard(id).then(refresh)

/** Moves all of them back. Returns their number. */
export const retryDeadLetters = async (): Promise<number> => {
  const { retried } = await api.deadLetters.retryAll()
  await refresh()
  return retried
}

// internal

const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: ["dead-letters"] })

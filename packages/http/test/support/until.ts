/** Polls for an asynchronous effect of another part of the process, or of a socket. */
export const until = async (reached: () => boolean, what: string): Promise<void> => {
  const deadline = Date.now() + 30_000
  while (!reached()) {
    if (Date.now() > deadline) throw new Error(`never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

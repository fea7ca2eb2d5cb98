/** Waits for what another part of the process, or the other end of a socket, does in its own time. */
export const until = async (reached: () => boolean, what: string): Promise<void> => {
  const deadline = Date.now() + 30_000
  while (!reached()) {
    if (Date.now() > deadline) throw new Error(`never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** Next.js calls this with every error of its server. */
export const onRequestError = async (
  error: unknown,
  request: { readonly path: string; readonly method: string },
  context: { readonly routePath: string },
): Promise<void> => {
  if (process.env.NEXT_RUNTIME === "edge") return
  const { errata } = await import("./lib/errata")
  await (await errata()).capture(error, {
    handled: false,
    transaction: `${request.method} ${context.routePath}`,
    request: { url: request.path, method: request.method },
  })
}

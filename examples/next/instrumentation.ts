import type { FailedRequest, FailedRoute } from "errata/next"

/** Next.js calls this with every error of its server. */
export const onRequestError = async (
  error: unknown,
  request: FailedRequest,
  route: FailedRoute,
): Promise<void> => {
  if (process.env.NEXT_RUNTIME === "edge") return
  const [{ captureRequestError }, { errata }] = await Promise.all([
    import("errata/next"),
    import("./lib/errata"),
  ])
  await captureRequestError(await errata(), error, request, route)
}

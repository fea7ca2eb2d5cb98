import { routeHandler } from "errata/next"
import { errata } from "../../../lib/errata"

export const dynamic = "force-dynamic"

/** Its errors go to `onRequestError`, which reports them with the scope of the request. */
export const GET = routeHandler(
  errata,
  async (_request: Request, { params }: { readonly params: Promise<{ readonly id: string }> }) => {
    const { id } = await params
    const { setTag } = await errata()
    setTag("order", id)
    throw new Error(`Order ${id} could not be read`)
  },
)

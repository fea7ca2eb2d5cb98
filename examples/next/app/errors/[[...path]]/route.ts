import { errata } from "../../../lib/errata"

// Errata needs the Node runtime, and its responses must not be cached.
export const runtime = "nodejs"
export const dynamic = "force-dynamic"

const handler = async (request: Request): Promise<Response> => (await errata()).fetch(request)

export {
  handler as DELETE,
  handler as GET,
  handler as HEAD,
  handler as OPTIONS,
  handler as PATCH,
  handler as POST,
  handler as PUT,
}

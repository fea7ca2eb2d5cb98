/** Returns what SDKs are configured with: where the instance is, the project's token and its id. */
export const dsnOf = (
  baseUrl: string,
  { id, token }: { readonly id: number; readonly token: string },
): string => {
  const { host, pathname, protocol } = new URL(baseUrl)
  return `${protocol}//${token}@${host}${pathname.replace(/\/+$/, "")}/${id}`
}

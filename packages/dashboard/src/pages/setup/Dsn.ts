/** Returns the DSN for SDKs: base URL, token and project id. */
export const dsnOf = (
  baseUrl: string,
  { id, token }: { readonly id: number; readonly token: string },
): string => {
  const { host, pathname, protocol } = new URL(baseUrl)
  return `${protocol}//${token}@${host}${pathname.replace(/\/+$/, "")}/${id}`
}

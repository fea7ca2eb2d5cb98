/** Path of the API below an instance's base URL. Imports nothing, so that the Promise client works without Effect. */
export const apiPath = (serviceName: string): `/${string}` => `/api/${encodeURIComponent(serviceName)}/v1`

/** True if routers and proxies pass the name through unchanged, so that it can be part of the API's path. */
export const isServiceName = (text: string): boolean => /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/.test(text)

/** Where the API is below an instance's base URL. Without imports: the Promise client does without Effect. */
export const apiPath = (serviceName: string): `/${string}` => `/api/${encodeURIComponent(serviceName)}/v1`

/** Whether an API can be served under the name: routers and proxies take other characters for something else. */
export const isServiceName = (text: string): boolean => /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/.test(text)

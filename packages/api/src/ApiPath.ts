/** Where the API is below an instance's base URL. Without imports: the Promise client does without Effect. */
export const apiPath = (serviceName: string): `/${string}` => `/api/${encodeURIComponent(serviceName)}/v1`

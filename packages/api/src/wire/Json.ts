// biome-ignore lint/suspicious/noExplicitAny: cases look into whatever came; its shape is checked by the document.
export type Json = any

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Roles of a node: `web` handles requests, `worker` records accepted events. */
export const roles = ["web", "worker"] as const
export type Role = (typeof roles)[number]

/** What a node does: `web` takes requests, `worker` records what was accepted. */
export const roles = ["web", "worker"] as const
export type Role = (typeof roles)[number]

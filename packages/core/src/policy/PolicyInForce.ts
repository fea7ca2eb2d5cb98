import type { InstancePolicies, PolicyName } from "./Policy.js"
import type { StoredPolicy } from "./PolicyStore.js"

/** Merges stored settings over the defaults, which apply to settings that were added later. */
export const inForce = <Name extends PolicyName>(
  defaults: InstancePolicies,
  name: Name,
  stored: StoredPolicy,
): InstancePolicies[Name] => ({
  ...defaults[name],
  ...(stored as Partial<InstancePolicies[Name]>),
})

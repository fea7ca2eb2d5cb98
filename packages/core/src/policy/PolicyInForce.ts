import type { InstancePolicies, PolicyName } from "./Policy.js"
import type { StoredPolicy } from "./PolicyStore.js"

/** What holds where so much of a policy was set: settings that were stored before a new one came to be take its default. */
export const inForce = <Name extends PolicyName>(
  defaults: InstancePolicies,
  name: Name,
  stored: StoredPolicy,
): InstancePolicies[Name] => ({
  ...defaults[name],
  ...(stored as Partial<InstancePolicies[Name]>),
})

/** Rows of targets, including webhooks. */
import type { State } from "./State.js"
import type { Transaction } from "./Transaction.js"

/** Removes a delivery. */
export const removeDelivery = (
  state: State,
  transaction: Transaction,
  targetId: number,
  id: number,
): void => {
  state.deliveryIds.of(targetId).remove(transaction, id)
  state.deliveries.delete(transaction, id)
}

/** Removes a target with its deliveries. */
export const removeTarget = (
  state: State,
  transaction: Transaction,
  projectId: number,
  targetId: number,
): void => {
  for (const id of [...(state.deliveryIds.get(targetId)?.ascending(transaction) ?? [])]) {
    removeDelivery(state, transaction, targetId, id)
  }
  removeAlone(state, transaction, projectId, targetId)
}

/** Removes a target without deliveries. */
export const removeAlone = (
  state: State,
  transaction: Transaction,
  projectId: number,
  targetId: number,
): void => {
  state.targets.delete(transaction, targetId)
  state.attended.delete(transaction, targetId)
  state.targetIds.of(projectId).remove(transaction, targetId)
}

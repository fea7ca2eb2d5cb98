/** A part of an application that reports its errors. */
import type { Errata } from "errata"

export interface Payments {
  readonly charge: (order: number) => Promise<void>
}

/** Charges an order. Returns false if the payment failed; the failure is reported and the call can be repeated. */
export const checkout = async (
  order: number,
  { errata, payments }: { readonly errata: Pick<Errata, "capture">; readonly payments: Payments },
): Promise<boolean> => {
  try {
    await payments.charge(order)
    return true
  } catch (error) {
    await errata.capture(error, { tags: { step: "checkout" }, extra: { order } })
    return false
  }
}

/** A part of an application that reports what goes wrong. */
import type { Errata } from "errata"

export interface Payments {
  readonly charge: (order: number) => Promise<void>
}

/** Whether the order is paid. A failed payment is reported, and may be tried again. */
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

/** Choices of readers about the page of a report. The browser remembers them. */
import { stored } from "../../data/settings.js"

export const stackOrder = stored("stack-order", ["newest", "oldest"])
export const stackFrames = stored("stack-frames", ["in-app", "all"])
export const stackWrap = stored("stack-wrap", ["off", "on"])
export const stackRaw = stored("stack-raw", ["off", "on"])
export const crumbOrder = stored("breadcrumb-order", ["oldest", "newest"])
export const chartSpan = stored("chart-span", ["24h", "7d"])

/** Sets a choice of two to the other. */
export const flip = <T extends string>(choice: { value: T }, one: NoInfer<T>, other: NoInfer<T>): void => {
  choice.value = choice.value === one ? other : one
}

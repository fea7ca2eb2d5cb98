/** The keys and clicks to measure in a list and in a report, and their repetitions. */

const press =
  (...keys) =>
  async ({ page }) => {
    for (const key of keys) await page.keyboard.press(key)
  }
const click =
  (selector) =>
  ({ page }, turn) =>
    page.locator(selector).nth(turn).click()

const settled = ({ settled }) => settled()
const inTurn =
  (...acts) =>
  async (reader) => {
    for (const act of acts) await act(reader)
  }

/** `before` and `after` run each time and are not measured. */
export const listKeys = [
  { kind: "j, next group", times: 30, act: press("j") },
  { kind: "k, previous group", times: 15, act: press("k") },
  { kind: "x, select", times: 10, before: press("j"), act: press("x") },
  { kind: "a click on a tick box", times: 5, act: click("li.row input[type=checkbox]") },
  {
    kind: "a click on a menu",
    times: 5,
    act: ({ page }) => page.getByRole("button", { name: /^Order/ }).click(),
    after: press("Escape"),
  },
  { kind: "?, help", times: 5, act: press("?"), after: press("Escape") },
  { kind: "Ctrl K, palette", times: 5, act: press("Control+k"), after: press("Escape") },
  {
    kind: "typing in the palette",
    times: 8,
    first: press("Control+k"),
    act: ({ page }, turn) => page.keyboard.press("settings"[turn]),
    last: press("Escape"),
  },
  { kind: "/, query", times: 5, act: press("/"), after: press("Escape", "Escape") },
  {
    kind: "typing in the query",
    times: 12,
    first: press("/", "End"),
    act: ({ page }, turn) => page.keyboard.press([..." error_type:"][turn] ?? "T"),
    last: press("Escape", "Escape"),
  },
  {
    kind: "Enter, open a report",
    times: 5,
    before: press("j"),
    act: press("Enter"),
    after: inTurn(settled, press("u"), settled),
  },
  {
    kind: "u, back to the list",
    times: 5,
    before: inTurn(press("j", "Enter"), settled),
    act: press("u"),
    after: settled,
  },
]

export const reportKeys = [
  { kind: "p, previous report", times: 8, act: press("p"), after: settled },
  { kind: "n, next report", times: 8, act: press("n"), after: settled },
  { kind: "f, all frames", times: 6, act: press("f") },
  { kind: "w, wrap", times: 6, act: press("w") },
  { kind: "R, as text", times: 6, act: press("R") },
]

/** Returns the times to the next paint in ms, by kind. */
export const pressAll = async (reader, steps) => {
  const samples = {}
  for (const { kind, times, act, before, after, first, last } of steps) {
    samples[kind] = []
    await first?.(reader)
    for (let turn = 0; turn < times; turn++) {
      await before?.(reader)
      samples[kind].push(await reader.answerTo(() => act(reader, turn)))
      await after?.(reader)
    }
    await last?.(reader)
  }
  return samples
}

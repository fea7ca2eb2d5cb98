/** The numbers of a chart of bars as a table. */
import { count } from "../text/Numbers.js"
import { hour } from "../text/Times.js"
import type { Bar, Series } from "./BarChart.js"
import { zone } from "./Time.js"

/** Newest first, without the steps that have no reports. */
export const BarTable = ({
  bars,
  beforeName,
  series,
}: {
  readonly bars: ReadonlyArray<Bar>
  readonly beforeName: string
  readonly series: Series
}) => (
  <details class="chart-table">
    <summary>As a table</summary>
    {/* Its own scroll, so that it does not push the report away. */}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, with arrow keys, too. */}
    <div tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{series.step === "hour" ? "Hour" : "Day"}</th>
            <th scope="col">Reports</th>
            {series.before !== undefined && <th scope="col">{beforeName}</th>}
          </tr>
        </thead>
        <tbody>
          {bars
            .map((row, i) => ({ ...row, before: series.before?.[i] }))
            .filter(({ before = 0, reports }) => reports + before > 0)
            .reverse()
            .map((row) => (
              <tr key={row.at}>
                <th scope="row">{whenOf(row, series.step)}</th>
                <td>{count(row.reports)}</td>
                {row.before !== undefined && <td>{count(row.before)}</td>}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  </details>
)

/** Returns the hour or the day of a bar. */
export const whenOf = (bar: Bar, step: Series["step"]): string => {
  const at = hour(bar.at, step === "day" ? "UTC" : zone.value)
  return step === "day" ? at.replace(/, .*/, "") : at
}

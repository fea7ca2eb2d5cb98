/** A bar chart: SVG, a text alternative, keyboard navigation with arrow keys, and a data table. */
import { useId, useState } from "preact/hooks"
import { count, counted } from "../text/Numbers.js"
import { type Bar, barsOf, floor, type Mark, markedSteps, type Series, sentenceOf } from "./BarChart.js"
import { BarTable, whenOf } from "./BarTable.js"
import { clock, runningHour } from "./Time.js"
import "../styles/bars.css"

interface BarsProps {
  readonly series: Series
  /** The subject of the chart, before its sentence: `This group: `. */
  readonly label?: string
}

/** Without any means to operate it, for rows of lists. A page has many of them, so that bars of a kind are one element. */
export const SmallBars = ({ label = "", series }: BarsProps) => {
  const id = useId()
  const bars = barsOf(series, runningHour.value)
  const shapes = Map.groupBy(bars.keys(), (i) => classOf(bars[i]!, false))
  return (
    <svg
      class="bars"
      role="img"
      aria-label={label + sentenceOf(series)}
      viewBox={viewBox(series)}
      preserveAspectRatio="none"
    >
      {shapes.has("running") && <Hatch id={id} />}
      {[...shapes].map(([kind, at]) => (
        <path
          key={kind}
          class={kind}
          d={at.map((i) => outlineOf(i, heightOf(bars[i]!))).join("")}
          {...(kind === "running" ? { fill: `url(#${id})` } : {})}
        />
      ))}
    </svg>
  )
}

/** On a page. A click on a bar calls `onPick`. */
export const Bars = ({
  caption,
  beforeName = "before",
  label = "",
  marks = [],
  onPick,
  series,
}: BarsProps & {
  /** Text below the bars while none is selected. Replaces the default sentence. */
  readonly caption?: string
  /** The name of the period before, for example `the day before`. */
  readonly beforeName?: string
  /** Shown above the bars by their numbers. */
  readonly marks?: ReadonlyArray<Mark>
  readonly onPick?: (bar: Bar) => void
}) => {
  const [selected, select] = useState<number | null>(null)
  const bars = barsOf(series, clock.value)
  const move = (by: number) =>
    select((at) => Math.min(bars.length - 1, Math.max(0, (at ?? bars.length) + by)))
  const bar = selected === null ? undefined : bars[selected]
  const marked = markedSteps(series, marks)
  const textOf = (bar: Bar, i: number) =>
    [
      `${whenOf(bar, series.step)}: ${counted(bar.reports, "report")}`,
      ...(series.before === undefined ? [] : [`${beforeName}: ${count(series.before[i] ?? 0)}`]),
      ...(marked.get(i) ?? []).map((number) => `${marks[number - 1]!.name} first seen`),
    ].join(", ")
  const indexAt = (event: MouseEvent & { readonly currentTarget: Element }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return Math.min(bars.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bars.length)))
  }
  return (
    <figure class="chart-figure">
      <Numbers marked={marked} steps={bars.length} />
      <svg
        class="bars large"
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the bars one by one.
        tabIndex={0}
        aria-label={label + sentenceOf(series)}
        viewBox={viewBox(series)}
        preserveAspectRatio="none"
        onPointerMove={(event) => select(indexAt(event))}
        onPointerLeave={() => select(null)}
        onClick={(event) => onPick?.(bars[indexAt(event)]!)}
        onBlur={() => select(null)}
        onKeyDown={(event) => {
          if (event.key === "ArrowLeft") move(-1)
          else if (event.key === "ArrowRight") move(1)
          else if (event.key === "Enter" && bar !== undefined) onPick?.(bar)
          else return
          event.preventDefault()
        }}
      >
        <Rects bars={bars} selected={selected} />
        {series.before !== undefined && <path class="before" d={stepLine(series)} />}
        {[...marked.keys()].map((i) => (
          <path key={i} class="mark" d={`M${i * pitch + barWidth / 2},0V${height}`} />
        ))}
      </svg>
      <figcaption aria-live="polite">
        {bar === undefined ? (caption ?? sentenceOf(series)) : textOf(bar, selected!)}
      </figcaption>
      <BarTable bars={bars} beforeName={beforeName} series={series} />
    </figure>
  )
}

// internal

const height = 44
const barWidth = 4
const pitch = 5.4

const viewBox = ({ reports }: Series): string =>
  `0 0 ${reports.length * pitch - (pitch - barWidth)} ${height}`

/** The numbers of the marks above the bars. The caption names them. */
const Numbers = ({
  marked,
  steps,
}: {
  readonly marked: ReadonlyMap<number, ReadonlyArray<number>>
  readonly steps: number
}) =>
  marked.size === 0 ? null : (
    <div class="marks" aria-hidden="true">
      {[...marked].map(([i, numbers]) => (
        <span key={i} style={{ "--at": `${((i + 0.5) / steps) * 100}%` }}>
          {numbers.join(" ")}
        </span>
      ))}
    </div>
  )

/** The period before as a line, one step over each bar. */
const stepLine = ({ before = [], reports }: Series): string => {
  const top = Math.max(floor, ...reports, ...before)
  return before
    .map((value, i) => {
      const y = height - (value / top) * height
      return `${i === 0 ? `M0,${y}` : `V${y}`}H${i === before.length - 1 ? i * pitch + barWidth : (i + 1) * pitch}`
    })
    .join("")
}

/** The running hour is hatched by an attribute, so its class must not set a fill. */
const classOf = ({ isHot, isRunning, reports }: Bar, isSelected: boolean): string => {
  const kind = reports === 0 ? "bar none" : isRunning ? "running" : isHot ? "bar hot" : "bar"
  return isSelected ? `${kind} selected` : kind
}

/** Something is never as high as nothing. */
const heightOf = ({ height: share, reports }: Bar): number =>
  reports === 0 ? 1 : Math.max(3, share * height)

/** A bar with round corners at its top. */
const outlineOf = (index: number, size: number): string =>
  `M${index * pitch},${height}v${1 - size}q0,-1 1,-1h${barWidth - 2}q1,0 1,1v${size - 1}z`

const Hatch = ({ id }: { readonly id: string }) => (
  <defs>
    <pattern id={id} width="3" height="3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="hatch" width="1.4" height="3" />
    </pattern>
  </defs>
)

const Rects = ({
  bars,
  selected,
}: {
  readonly bars: ReadonlyArray<Bar>
  readonly selected: number | null
}) => {
  const id = useId()
  return (
    <>
      <Hatch id={id} />
      {bars.map((bar, i) => {
        const size = heightOf(bar)
        return (
          <rect
            key={bar.at}
            class={classOf(bar, i === selected)}
            x={i * pitch}
            y={height - size}
            width={barWidth}
            height={size}
            rx="1"
            {...(bar.isRunning && bar.reports > 0 ? { fill: `url(#${id})` } : {})}
          />
        )
      })}
    </>
  )
}

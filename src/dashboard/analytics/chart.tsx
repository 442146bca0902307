import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import type { TrafficPoint } from '#contract/api/analytics.ts'
import { formatPoint, labelSteps, spanOf } from './ranges.ts'
import { type ChartKind, heightsOf, inDrawingOrder } from './series.ts'

const HEIGHT = 220

/** A colour of the page, as it is in the theme of the moment. */
function createColours(box: HTMLElement): (name: string) => string {
  // Whoever wants little motion has every change take a moment, in which the old colour would be read.
  box.style.setProperty('transition', 'none')
  return (name) => {
    box.style.setProperty('color', `var(${name})`)
    const { color } = getComputedStyle(box)
    box.style.removeProperty('color')
    return color
  }
}

const faded = (colour: string): string => colour.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.5)')

function optionsFor(
  kind: ChartKind,
  step: number,
  width: number,
  colour: (name: string) => string,
  onCursor: (index: number | undefined) => void,
): uPlot.Options {
  const axis = {
    stroke: () => colour('--soft'),
    grid: { stroke: () => faded(colour('--line')), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  const bars = uPlot.paths.bars?.({ size: [0.8, 24] })
  return {
    width,
    height: HEIGHT,
    padding: [8, 40, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind.form === 'lines' } },
    scales: {
      x: {
        time: true,
        range: (_chart, first, last) => (first === null ? [first, last] : spanOf(first, last, step)),
      },
      y: { range: (_chart, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        values: (_chart, at) => at.map((each) => formatPoint(each * 1000, step)),
        space: 70,
        incrs: labelSteps(step),
      },
      { ...axis, size: 64, values: (_chart, at) => at.map((each) => kind.short(each)) },
    ],
    series: [
      {},
      ...inDrawingOrder(kind).map((each): uPlot.Series => {
        const stroke = () => colour(each.colour)
        return kind.form === 'stacked'
          ? { fill: stroke, stroke, width: 0, points: { show: false }, ...(bars && { paths: bars }) }
          : { stroke, width: 2, points: { show: (chart) => chart.data[0].length < 2 } }
      }),
    ],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)] },
  }
}

/** A picture of points over time. What it shows is said in words beside it, so it is nothing to screen readers. */
export default function Chart({
  kind,
  points,
  step,
  onCursor,
}: {
  kind: ChartKind
  points: readonly TrafficPoint[]
  step: number
  /** Which point the mouse is at. */
  onCursor: (index: number | undefined) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(null)
  const [width, setWidth] = useState(0)

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const watch = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    watch.observe(element)
    return () => watch.disconnect()
  }, [])

  // A chart is made once for a kind and a step; its points and its width come and go.
  const isMeasured = width > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: what comes and goes is told below
  useEffect(() => {
    const element = box.current
    if (element === null || !isMeasured) return
    const options = optionsFor(kind, step, width, createColours(element), onCursor)
    const made = new uPlot(options, [[], ...kind.series.map(() => [])], element)
    chart.current = made
    const redraw = () => made.redraw(false, true)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', redraw)
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      dark.removeEventListener('change', redraw)
      theme.disconnect()
      made.destroy()
      chart.current = null
    }
  }, [kind, step, isMeasured, onCursor])

  useEffect(() => {
    if (width > 0) chart.current?.setSize({ width, height: HEIGHT })
  }, [width])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new chart has no points yet
  useEffect(() => {
    chart.current?.setData([points.map(({ at }) => at / 1000), ...heightsOf(kind, points)])
  }, [kind, points, step, isMeasured])

  return <div ref={box} aria-hidden="true" className="min-w-0 overflow-hidden" style={{ height: HEIGHT }} />
}

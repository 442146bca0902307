import type { Chart, Curve, Row } from './row.ts'

const LINE = 22
const LEFT = 430
const WIDTH = 900
const SPAN = WIDTH - LEFT - 70

/** As much of a label as there is room for beside the bars. */
const MOST_LETTERS = 64
const cut = (label: string): string =>
  label.length > MOST_LETTERS ? `${label.slice(0, MOST_LETTERS - 1).trimEnd()}…` : label

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

type Drawn = Row & { readonly chart: Chart & { readonly target: number } }

const isDrawn = (row: Row): row is Drawn => row.chart?.target !== undefined

/**
 * One bar for each row with a target, as a share of it, so that all of them fit one picture: what passes the line is met.
 * Where less is better the share is turned over. The thin line on a bar is the spread.
 */
export function plot(rows: readonly Row[]): string {
  const drawn = rows.filter(isDrawn)
  const share = ({ target, better }: Drawn['chart'], value: number) =>
    better === 'more' ? value / target : target / value
  const most = 2
  const x = (part: number) => LEFT + (Math.min(part, most) / most) * SPAN
  const height = (drawn.length + 2) * LINE
  const bars = drawn.map((row, n) => {
    const { chart, id, what, measured, met } = row
    const y = (n + 1) * LINE
    const end = x(share(chart, chart.value))
    const [from, to] = (chart.spread ?? [chart.value, chart.value]).map((value) => x(share(chart, value)))
    return [
      `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${escaped(cut(`${id} ${what}`))}</text>`,
      `<rect x="${LEFT}" y="${y + 3}" width="${(end - LEFT).toFixed(1)}" height="13" class="${met ? 'met' : 'missed'}"/>`,
      `<line x1="${from?.toFixed(1)}" x2="${to?.toFixed(1)}" y1="${y + 9.5}" y2="${y + 9.5}" class="spread"/>`,
      `<text x="${(Math.max(end, to ?? 0, from ?? 0) + 6).toFixed(1)}" y="${y + 13}">${escaped(measured)}</text>`,
    ].join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="What was measured, as a share of its target">
<style>text{font:12px sans-serif;fill:#57606a}.met{fill:#2da44e}.missed{fill:#d29922}.spread{stroke:#24292f;stroke-width:1.5}.target{stroke:#57606a;stroke-dasharray:3 3}</style>
<text x="${x(1)}" y="13" text-anchor="middle">target</text>
<line x1="${x(1)}" x2="${x(1)}" y1="18" y2="${height}" class="target"/>
${bars.join('\n')}
</svg>
`
}

const CURVE_HEIGHT = 300
const MARGIN = { left: 60, right: 20, top: 30, bottom: 60 }
const COLOURS = ['#0969da', '#bf3989']

/** Lines from zero up, each over all of its own width: what stays level does not grow. */
export function plotCurve({ title, unit, lines }: Curve): string {
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, value]) => value))) * 1.1
  const [right, bottom] = [WIDTH - MARGIN.right, CURVE_HEIGHT - MARGIN.bottom]
  const y = (value: number) => bottom - (value / most) * (bottom - MARGIN.top)
  const marks = Array.from({ length: 5 }, (_, n) => (most * n) / 4).map((value) => {
    const at = y(value).toFixed(1)
    return `<line x1="${MARGIN.left}" x2="${right}" y1="${at}" y2="${at}" class="grid"/><text x="${MARGIN.left - 8}" y="${Number(at) + 4}" text-anchor="end">${value.toFixed(0)}</text>`
  })
  const drawn = lines.map(({ label, points }, n) => {
    const last = Math.max(1, ...points.map(([done]) => done))
    const x = (done: number) => MARGIN.left + (done / last) * (right - MARGIN.left)
    const at = points.map(([done, value]) => `${x(done).toFixed(1)},${y(value).toFixed(1)}`)
    const colour = COLOURS[n % COLOURS.length]
    const legend = `0 to ${last.toLocaleString('en')} ${label}`
    return [
      `<polyline points="${at.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<rect x="${MARGIN.left + n * 300}" y="${bottom + 24}" width="12" height="12" fill="${colour}"/>`,
      `<text x="${MARGIN.left + n * 300 + 18}" y="${bottom + 34}">${escaped(legend)}</text>`,
    ].join('')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${CURVE_HEIGHT}" role="img" aria-label="${escaped(title)}">
<style>text{font:12px sans-serif;fill:#57606a}.grid{stroke:#d0d7de}</style>
<text x="${MARGIN.left}" y="16">${escaped(title)}, ${escaped(unit)}</text>
${marks.join('\n')}
${drawn.join('\n')}
</svg>
`
}

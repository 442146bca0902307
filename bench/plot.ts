import type { Chart, Row } from './row.ts'

const LINE = 22
const LEFT = 430
const WIDTH = 900
const SPAN = WIDTH - LEFT - 70

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
      `<text x="${LEFT - 8}" y="${y + 13}" text-anchor="end">${escaped(`${id} ${what}`)}</text>`,
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

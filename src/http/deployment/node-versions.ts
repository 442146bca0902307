/** The Node.js versions that older clients can ask for, newest first. */
const VERSIONS = [
  '24.21.0',
  '22.20.0',
  '20.19.5',
  '18.20.8',
  '16.20.2',
  '14.21.3',
  '12.22.12',
  '10.24.1',
  '8.10.0',
] as const

interface ChosenNode {
  readonly version: string
  readonly wanted: string
  readonly found: boolean
}

/** The newest supported version that an `engines.node` range allows; the newest of all where none does. */
export function chooseNode(engine: unknown): ChosenNode {
  const newest = VERSIONS[0]
  if (engine === undefined) return { version: newest, wanted: '', found: true }
  const wanted = String(engine).trim()
  const version = VERSIONS.find((candidate) => allows(wanted, candidate))
  return { version: version ?? newest, wanted, found: version !== undefined }
}

const parts = (version: string): number[] => version.split('.').map(Number)

const compare = (a: string, b: string): number => {
  const [x, y] = [parts(a), parts(b)]
  for (let i = 0; i < 3; i++) if ((x[i] ?? 0) !== (y[i] ?? 0)) return (x[i] ?? 0) - (y[i] ?? 0)
  return 0
}

/** Enough of version ranges for what `engines` holds: `||`, comparators, `^`, `~`, `x`, hyphens. */
const allows = (range: string, version: string): boolean =>
  range.split('||').some((option) => {
    const hyphen = /^\s*v?(\d[\d.]*)\s+-\s+v?(\d[\d.]*)\s*$/.exec(option)
    if (hyphen) return compare(version, hyphen[1] as string) >= 0 && withinEnd(version, hyphen[2] as string)
    const terms = option
      .replace(/([<>=^~])\s+/g, '$1')
      .split(/\s+/)
      .filter(Boolean)
    return terms.every((term) => term === '*' || allowsTerm(term, version))
  })

/** `- 10` means up to the last 10.x. */
const withinEnd = (version: string, end: string): boolean => {
  const given = parts(end).length
  return compare(parts(version).slice(0, given).join('.'), end) <= 0
}

function allowsTerm(term: string, version: string): boolean {
  const match = /^(>=|<=|>|<|=|\^|~)?v?(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?$/.exec(term)
  if (!match) return false
  const [, operator = '', major, minor, patch] = match
  const fixed = [major, minor, patch].filter((part) => part !== undefined && /^\d+$/.test(part))
  const bound = [...fixed, '0', '0'].slice(0, 3).join('.')
  const samePrefix = (count: number) =>
    parts(version).slice(0, count).join('.') === fixed.slice(0, count).join('.')
  switch (operator) {
    case '>=':
      return compare(version, bound) >= 0
    case '>':
      return compare(version, bound) > 0 && !(fixed.length < 3 && samePrefix(fixed.length))
    case '<=':
      return compare(version, bound) <= 0 || samePrefix(fixed.length)
    case '<':
      return compare(version, bound) < 0
    case '^':
      return samePrefix(1) && compare(version, bound) >= 0
    case '~':
      return samePrefix(Math.min(fixed.length, 2)) && compare(version, bound) >= 0
    default:
      return samePrefix(fixed.length)
  }
}

const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

const LONGEST = 40

/** `Firefox on Linux`, from what a browser says of itself; of others, the beginning. */
export function browserOf(userAgent: string): string {
  const among = (list: readonly (readonly [string, string])[]) =>
    list.find(([mark]) => userAgent.includes(mark))?.[1]
  const [browser, system] = [among(BROWSERS), among(SYSTEMS)]
  if (browser === undefined) return userAgent.slice(0, LONGEST) || '-'
  return system === undefined ? browser : `${browser} on ${system}`
}

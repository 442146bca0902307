import { canonical, GROUPS, knownName } from '../commands.ts'

/** No more than these are listed: whoever is offered more had better read the help. */
const MOST = 4

const depthOf = (name: string): number => (name === '' ? 0 : name.split(' ').length)

/**
 * Commands and groups elsewhere that the words would lead to: `doctor` is below `operator`, and in `create token`
 * verb and noun have changed places. Of several ways to read them, those that make sense of most words.
 */
function suggest(words: readonly string[]): readonly string[] {
  const rest = words.slice(depthOf(knownName(words) ?? ''))
  const [verb, noun, ...others] = rest
  const readings = noun === undefined ? [rest] : [rest, [noun, verb as string, ...others]]
  const found = new Map<string, number>()
  for (const group of ['', ...Object.keys(GROUPS)])
    for (const reading of readings) {
      const whole = canonical([...(group === '' ? [] : group.split(' ')), ...reading])
      const name = knownName(whole)
      if (name === undefined) continue
      const understood = depthOf(name) - depthOf(group)
      // Turned around, both words have to be of one command.
      const least = reading === rest ? 1 : 2
      if (understood >= least) found.set(name, Math.max(understood, found.get(name) ?? 0))
    }
  const most = Math.max(0, ...found.values())
  return [...found].filter(([, understood]) => understood === most).map(([name]) => name)
}

/** The question that follows a complaint about an unknown command; undefined when nothing comes to mind. */
export function didYouMean(words: readonly string[]): string | undefined {
  const names = suggest(words).map((name) => `\`aloft ${name}\``)
  const [only] = names
  if (only === undefined) return undefined
  if (names.length === 1) return `Did you mean ${only}?`
  return `Did you mean one of ${names.slice(0, MOST).join(', ')}${names.length > MOST ? ', …' : ''}?`
}

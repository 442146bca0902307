import type { RouteOutcome } from '#core/routing/match/route-outcome.ts'

/** In as many, all is compiled that is kept of regexes; what takes more is never ready. */
const MAX_TURNS = 4

/**
 * What the routes say. Where many of their regexes have to be compiled first, as after a start, that is done a part at a time:
 * others are answered in between, and who asks waits.
 */
export function matchInTurns<Target>(
  match: () => RouteOutcome<Target>,
): RouteOutcome<Target> | Promise<RouteOutcome<Target>> {
  const outcome = match()
  return isUnfinished(outcome) ? goOn(match) : outcome
}

async function goOn<Target>(match: () => RouteOutcome<Target>): Promise<RouteOutcome<Target>> {
  for (let turn = 2; ; turn++) {
    await new Promise(setImmediate)
    const outcome = match()
    if (turn === MAX_TURNS || !isUnfinished(outcome)) return outcome
  }
}

const isUnfinished = (outcome: RouteOutcome<unknown>): boolean =>
  outcome.kind === 'refused' && outcome.reason === 'not-compiled'

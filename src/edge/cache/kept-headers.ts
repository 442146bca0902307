import type { HeaderTransform, RouteHeaders } from '#core/routing/match/route-outcome.ts'
import { NOT_FOR_VISITORS, TARGETED } from './cache-policy.ts'
import { FRAMING } from './shown-form.ts'

/** What routes, middlewares and transforms want of an answer. */
export interface RouteWords {
  readonly status?: number | undefined
  readonly headers: RouteHeaders
  readonly transforms?: readonly HeaderTransform[]
}

/** Those of them that each visitor gets laid over the answer. */
export interface LaidWords {
  readonly headers: RouteHeaders
  readonly transforms?: readonly HeaderTransform[]
}

/** Headers by which it is decided whether, for how long and in which forms an answer is kept, and how it is framed. */
const DECIDING: ReadonlySet<string> = new Set([
  ...['cache-control', ...TARGETED, ...NOT_FOR_VISITORS, ...FRAMING],
  ...['accept-ranges', 'content-encoding', 'content-range', 'content-type', 'etag', 'set-cookie', 'vary'],
])
const isDeciding = (name: string): boolean => DECIDING.has(name) || name.startsWith('x-aloft-')

/**
 * An outcome with no more than what is kept with its answer, and apart from answers of which other routes say something else. All else
 * may be another for each request, such as its id, and is the visitor's alone.
 */
export function keptOf<W extends RouteWords>(outcome: W): W {
  const { headers, transforms } = outcome
  if (headers.size === 0 && transforms === undefined) return outcome
  return {
    ...outcome,
    headers: new Map([...headers].filter(([name]) => isDeciding(name))),
    ...(transforms && {
      transforms: transforms.filter(({ of, name }) => of === 'request' || isDeciding(name)),
    }),
  }
}

/** Whether rules change what the answer itself says of being kept. It is then not for everybody, whatever they make of it. */
export const isDecidedByRules = ({ transforms = [] }: RouteWords): boolean =>
  transforms.some(({ of, name }) => of === 'response' && isDeciding(name))

const NOTHING: LaidWords = { headers: new Map() }

/** The rest of what is wanted of the answer; none of it decides anything about keeping it. */
export function laidOf({ headers, transforms }: RouteWords): LaidWords {
  if (headers.size === 0 && transforms === undefined) return NOTHING
  return {
    headers: new Map([...headers].filter(([name]) => !isDeciding(name))),
    ...(transforms && {
      transforms: transforms.filter(({ of, name }) => of === 'response' && !isDeciding(name)),
    }),
  }
}

/** The routes of a deployment as its owner writes them and as they are kept. */
export type Route = SourceRoute | HandleRoute

export interface SourceRoute {
  readonly src: string
  readonly dest?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly methods?: readonly string[]
  readonly status?: number
  readonly continue?: boolean
  readonly check?: boolean

  // The fields below are those of build outputs alone.
  readonly caseSensitive?: boolean
  /** All of them must hold. */
  readonly has?: readonly RouteCondition[]
  /** None of them may hold. */
  readonly missing?: readonly RouteCondition[]
  /** Where the function is that is asked before the routes go on. */
  readonly middlewarePath?: string
  readonly locale?: RouteLocale
  readonly mitigate?: { readonly action: string }
  readonly transforms?: readonly RouteTransform[]
  /** The headers win over those that an earlier route set. */
  readonly important?: boolean
}

type RouteCondition =
  | { readonly type: 'host'; readonly value: MatchableValue }
  | {
      readonly type: 'header' | 'cookie' | 'query'
      readonly key: string
      /** Absent: any value will do. */
      readonly value?: MatchableValue
    }

/** A regex for the whole value, or comparisons that all must hold. */
type MatchableValue =
  | string
  | {
      readonly eq?: string | number
      readonly neq?: string | number
      readonly inc?: readonly string[]
      readonly ninc?: readonly string[]
      readonly pre?: string
      readonly suf?: string
      readonly re?: string
      readonly gt?: number
      readonly gte?: number
      readonly lt?: number
      readonly lte?: number
    }

/** Sends visitors to the place of their language. */
interface RouteLocale {
  /** By language tag. */
  readonly redirect?: Readonly<Record<string, string>>
  /** The name of the cookie that says more than the visitor's browser. */
  readonly cookie?: string
}

interface RouteTransform {
  readonly type: 'request.headers' | 'request.query' | 'response.headers'
  readonly op: 'append' | 'set' | 'delete'
  readonly target: { readonly key: string | { readonly eq: string } }
  readonly args?: string | readonly string[]
}

export interface HandleRoute {
  readonly handle: OutputHandle
}

/** What happens between two runs of routes. */
export const HANDLES = ['filesystem'] as const
export type Handle = (typeof HANDLES)[number]

/**
 * What starts a run of routes in a build output. The order in which they stand does not matter.
 * - `filesystem`: after the site was searched without success
 * - `rewrite`: after that, and after each rewrite that was checked without success
 * - `resource`: last of all
 * - `miss`: each time that a path is not there
 * - `hit`: for the headers of what was found
 * - `error`: for the page that goes with an error
 */
export const OUTPUT_HANDLES = ['filesystem', 'rewrite', 'resource', 'miss', 'hit', 'error'] as const
export type OutputHandle = (typeof OUTPUT_HANDLES)[number]

/** Known elsewhere, and therefore answered with a better message than a misspelling. */
export const UNSUPPORTED_HANDLES = ['hit', 'miss', 'rewrite', 'error', 'resource'] as const

export interface RouteError {
  /** The place in the list; null if the list itself is at fault. */
  readonly index: number | null
  readonly field: string | null
  readonly message: string
}

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
}

export interface HandleRoute {
  readonly handle: Handle
}

/** What happens between two runs of routes. */
export const HANDLES = ['filesystem'] as const
export type Handle = (typeof HANDLES)[number]

/** Known elsewhere, and therefore answered with a better message than a misspelling. */
export const UNSUPPORTED_HANDLES = ['hit', 'miss', 'rewrite', 'error', 'resource'] as const

export interface RouteError {
  /** The place in the list; null if the list itself is at fault. */
  readonly index: number | null
  readonly field: string | null
  readonly message: string
}

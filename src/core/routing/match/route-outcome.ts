import type { GroupNames, Groups } from '../url/template.ts'

/** Response headers of the routes that matched, by lower-case name. */
export type RouteHeaders = ReadonlyMap<string, string>

/** What a request gets; `Target` is whatever the site keeps for a file or function. */
export type RouteOutcome<Target> =
  | {
      readonly kind: 'serve'
      readonly target: Target
      /** Where the target was found; of a folder, that of its index file. */
      readonly foundAt: string
      /** The path after all rewriting. */
      readonly path: string
      /** The request's query with those of the destinations over it. */
      readonly query: string
      /** Undefined if the target decides. */
      readonly status: number | undefined
      readonly headers: RouteHeaders
      /** Of the last rule with a destination, if one led here. */
      readonly routeMatches?: RouteMatches
      /** To be done to the request and to the response, in this order. */
      readonly transforms?: readonly HeaderTransform[]
    }
  | {
      readonly kind: 'listing'
      readonly path: string
      readonly status: number | undefined
      readonly headers: RouteHeaders
    }
  | {
      readonly kind: 'redirect'
      readonly location: string
      readonly status: number
      /** Without the location. */
      readonly headers: RouteHeaders
    }
  | { readonly kind: 'empty'; readonly status: number; readonly headers: RouteHeaders }
  | {
      readonly kind: 'proxy'
      readonly url: string
      /** Undefined if the upstream decides. */
      readonly status: number | undefined
      readonly headers: RouteHeaders
      readonly transforms?: readonly HeaderTransform[]
    }
  | {
      readonly kind: 'not-found'
      readonly path: string
      readonly query: string
      readonly headers: RouteHeaders
    }
  | { readonly kind: 'refused'; readonly reason: Refusal }
  | {
      /** Only of build outputs: a function has to be asked before the routes can go on. */
      readonly kind: 'middleware'
      /** Where the function is, with a leading slash. */
      readonly middlewarePath: string
      /** What the function is to see: the path and the query after the rewriting so far. */
      readonly path: string
      readonly query: string
      /** For the answer, should the function give one. */
      readonly headers: RouteHeaders
      readonly transforms?: readonly HeaderTransform[]
      /** Goes on after the rule. May be called any number of times. */
      readonly resume: (continuation: Continuation) => RouteOutcome<Target>
    }

/** What a middleware wants to be different from now on. */
export interface Continuation {
  /** As in a URL: a path with its query, which take the place of the request's, or a URL elsewhere. */
  readonly rewrite?: string
  /** Response headers, by lower-case name. */
  readonly headers?: RouteHeaders
  /** What later rules see of the request's headers, by lower-case name. */
  readonly header?: (name: string) => string | undefined
}

/** What the groups of a rule captured. */
export interface RouteMatches {
  readonly groups: Groups
  readonly names: GroupNames
}

export interface HeaderTransform {
  readonly of: 'request' | 'response'
  readonly op: 'append' | 'set' | 'delete'
  /** In lower case. */
  readonly name: string
  /** Empty where the header is deleted. */
  readonly value: string
}

/**
 * Why the rules cannot be carried out for a request.
 * - `unsafe`: what a group captured would lead out of the destination, or make it too long
 * - `too-large`: the response headers of all matching routes together
 * - `too-costly`: the table's regexes on so long a path would hold up other requests
 * - `not-compiled`: compiling more of the table's regexes would; the next try gets further
 */
export type Refusal = 'unsafe' | 'too-large' | 'too-costly' | 'not-compiled'

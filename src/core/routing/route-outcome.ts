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
    }
  | {
      readonly kind: 'not-found'
      readonly path: string
      readonly query: string
      readonly headers: RouteHeaders
    }
  | { readonly kind: 'refused'; readonly reason: Refusal }

/**
 * Why the rules cannot be carried out for a request.
 * - `unsafe`: what a group captured would lead out of the destination, or make it too long
 * - `too-large`: the response headers of all matching routes together
 * - `too-costly`: the table's regexes on so long a path would hold up other requests
 */
export type Refusal = 'unsafe' | 'too-large' | 'too-costly'

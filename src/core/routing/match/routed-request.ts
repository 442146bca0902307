/** A request as the rules of a site see it. */
export interface RoutedRequest {
  /** As `decodePath` returns it. */
  readonly path: string
  /** As sent, without the question mark. */
  readonly query: string
  readonly method: string
  /** The host that the visitor asked for, without a port. Only conditions of build outputs look at it. */
  readonly host?: string
  /** A header of the request by its lower-case name; asked when a condition of a build output needs it. */
  readonly header?: (name: string) => string | undefined
}

/** When a request came, by both clocks. */
export interface Moment {
  readonly now: number
  /** By the monotonic clock. */
  readonly since: number
}

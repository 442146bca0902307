/** To serving processes: one of them is away, and the others take what comes for it from now on. */
export const ADOPT = 'sockets.adopt'

export interface Adopt {
  readonly kind: typeof ADOPT
  /** Which of them is away. */
  readonly own: number
}

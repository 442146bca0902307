import type { RunnerFault } from '#core/ports/runner.ts'

/**
 * What a serving process knows of an instance: where it is, how many requests of this process it should have, and
 * since when it takes any, by the clock of the machine.
 */
export type ListedInstance = readonly [id: string, socket: string, slots: number, readyAt: number]

/** From a serving process. */
export type ToHost =
  /** So many requests wait for this program; from now on, tell of its instances. */
  | {
      readonly type: 'want'
      readonly deployment: string
      readonly program: string
      readonly waiting: number
      /** It knows of no instance, and is to be told of all there are. */
      readonly knowsNone?: true
    }
  /** How many requests of this process each of these instances has, where that changed. */
  | { readonly type: 'counts'; readonly counts: readonly (readonly [id: string, requests: number])[] }
  /** A list was received: none of the instances that it left out gets a new request. */
  | { readonly type: 'seen'; readonly list: number }
  /** Something is wrong with this instance. `end` numbers these messages. */
  | { readonly type: 'end'; readonly id: string; readonly how: 'broken' | 'stuck'; readonly end: number }

/** To a serving process. */
export type ToClient =
  /** All instances of the program that take requests. */
  | {
      readonly type: 'list'
      readonly deployment: string
      readonly program: string
      readonly list: number
      readonly instances: readonly ListedInstance[]
      /** Whether another one may come, so that waiting for it makes sense. */
      readonly grows: boolean
      /** The last `end` message that the list takes account of. */
      readonly end: number
    }
  /**
   * This `end` message has come, and those before it. `isLost`: the instance lives, or will again, and was cut off from its
   * requests by the loss of a node, which no request can bring about.
   */
  | { readonly type: 'heard'; readonly end: number; readonly isLost?: true }
  /** None can be had: requests that wait fail. */
  | {
      readonly type: 'failed'
      readonly deployment: string
      readonly program: string
      readonly fault: RunnerFault
      readonly message: string
    }

/** A line between the platform's own processes. */
export const MAX_LINE_BYTES = 4 * 2 ** 20

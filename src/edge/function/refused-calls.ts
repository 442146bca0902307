import type { Socket } from 'node:net'
import type { ProgramRef } from '#core/ports/runner.ts'
import type { Refusal } from '../error/refusal.ts'

/**
 * Requests that a function failed to answer on the fast path and that go to others to be worded, by their
 * connection: the function is not asked a second time.
 */
export class RefusedCalls {
  readonly #refused = new WeakMap<Socket, { readonly program: ProgramRef; readonly refusal: Refusal }>()

  put(socket: Socket, program: ProgramRef, refusal: Refusal): void {
    this.#refused.set(socket, { program, refusal })
  }

  /** Once, for the next request on the connection. */
  take(socket: Socket, { deploymentId, program }: ProgramRef): Refusal | undefined {
    const refused = this.#refused.get(socket)
    if (refused === undefined) return undefined
    this.#refused.delete(socket)
    const isSame = refused.program.deploymentId === deploymentId && refused.program.program === program
    return isSame ? refused.refusal : undefined
  }
}

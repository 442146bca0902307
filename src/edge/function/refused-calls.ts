import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ProgramRef } from '#core/ports/runner.ts'
import type { Refusal } from '../error/refusal.ts'

interface RefusedCall {
  readonly program: ProgramRef
  readonly refusal: Refusal
}

/**
 * Requests that a function failed to answer on the fast path and that go to others to be worded: the function is not asked a
 * second time. Such a request is the next one on its connection, and whatever becomes of it, the one after it is another.
 */
export class RefusedCalls {
  readonly #bySocket = new WeakMap<Socket, RefusedCall>()
  readonly #byRequest = new WeakMap<object, RefusedCall>()

  put(socket: Socket, program: ProgramRef, refusal: Refusal): void {
    this.#bySocket.set(socket, { program, refusal })
  }

  /** A request of HTTP/1.x begins to be answered. */
  begin(req: IncomingMessage): void {
    const { socket } = req
    const refused = this.#bySocket.get(socket)
    if (refused === undefined) return
    this.#bySocket.delete(socket)
    this.#byRequest.set(req, refused)
  }

  /** Once, for the request that was refused. */
  take(req: object, { deploymentId, program }: ProgramRef): Refusal | undefined {
    const refused = this.#byRequest.get(req)
    if (refused === undefined) return undefined
    this.#byRequest.delete(req)
    const isSame = refused.program.deploymentId === deploymentId && refused.program.program === program
    return isSame ? refused.refusal : undefined
  }
}

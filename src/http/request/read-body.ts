import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import { createTurns } from '#core/turns.ts'
import { callerOf } from './api-request.ts'
import { collect, DEFAULT_BODY_LIMIT, PUBLIC_BODY_LIMIT, parseBody } from './body.ts'
import { bodyMemory } from './body-memory.ts'

/** Bodies of more than this are read two at a time for one account, because what is made of them is many times as large. */
const LARGE_BODY = 1024 * 1024
export const LARGE_AT_ONCE = 2

const isLarge = ({ headers }: FastifyRequest, row: Endpoint): boolean => {
  const declared = headers['content-length']
  return declared === undefined ? row.bodyLimit !== undefined : Number(declared) > LARGE_BODY
}

/** The body of a request as its endpoint takes it, within the memory that there is for bodies. */
export function createReadBody(charge: (request: FastifyRequest, row: Endpoint, bytes: number) => void) {
  const turns = createTurns(LARGE_AT_ONCE)

  async function read(request: FastifyRequest, row: Endpoint, payload: Readable): Promise<unknown> {
    const isStranger = row.access.kind === 'public'
    request.held = bodyMemory.hold({ id: callerOf(request), isStranger })
    const limit = row.bodyLimit ?? (isStranger ? PUBLIC_BODY_LIMIT : DEFAULT_BODY_LIMIT)
    const bytes = await collect(payload as IncomingMessage, limit, request.held)
    charge(request, row, bytes.length)
    return parseBody(bytes, request.headers['content-type'], row)
  }

  return async (request: FastifyRequest, row: Endpoint, payload: Readable): Promise<unknown> => {
    try {
      // From before a large body is read until it is answered. It is left on the wire meanwhile, not in memory.
      if (isLarge(request, row)) request.endTurn = await turns.take(callerOf(request))
      return await read(request, row, payload)
    } catch (error) {
      letGo(request)
      throw error
    }
  }
}

/** What its body was made into is of no use any more. */
export function letGo(request: FastifyRequest): void {
  request.endTurn?.()
  request.held?.release()
}

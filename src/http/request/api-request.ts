import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Context, Visit } from '#core/access/context.ts'
import { sourceOf } from '#core/access/network-of.ts'
import { senderOf } from '#core/access/sender.ts'
import type { GiveBack } from '#core/turns.ts'
import type { Allowance } from '../limits.ts'
import type { HeldBody } from './body-memory.ts'

declare module 'fastify' {
  interface FastifyRequest {
    row: Endpoint | undefined
    /** What the endpoint does; undefined where there is none. */
    answer: Answer | undefined
    allowance: Allowance | undefined
    who: Context | Visit | undefined
    /** The version of the data before anything was read of them, where the answer may be kept. */
    readAt: number | undefined
    /** Of one with a large body: whoever comes next may be read. */
    endTurn: GiveBack | undefined
    /** What its body takes of the memory. */
    held: HeldBody | undefined
  }
}

/** What an endpoint does for a request that was admitted. */
export type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown

export const ownerOf = ({ who }: FastifyRequest) => (who && 'owner' in who ? who.owner : undefined)

/** Whose allowance a request takes from. */
export const callerOf = (request: FastifyRequest): string =>
  ownerOf(request)?.id ?? sourceOf(senderOf(request.raw).address)

/** Without query and trailing slash. */
export const askedPath = (request: FastifyRequest): string => {
  const url = request.raw.url ?? '/'
  const end = url.search(/[?#]/)
  const path = end === -1 ? url : url.slice(0, end)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, RawReply } from '#contract/endpoint.ts'
import type { Context, Visit } from '#core/access/context.ts'
import { senderOf } from '#core/access/sender.ts'
import type { AuditEntry } from '#core/audit/audit.ts'
import { audited } from '#core/audit/audit-trail.ts'
import type { Clock } from '#core/ports/clock.ts'
import type { Log } from '#core/ports/log.ts'
import { createTurns } from '#core/turns.ts'
import { auditEntryOf, isAudited } from '../audit/audit-entry.ts'
import { type Answer, callerOf } from '../request/api-request.ts'
import { LARGE_AT_ONCE, letGo } from '../request/read-body.ts'
import { compileValidate } from '../request/validate.ts'
import type { Route } from '../route.ts'
import type { AnswerCache } from './answer-cache.ts'
import { counted, JSON_TYPE, sendAs } from './send-as.ts'
import { serialiser } from './serialise.ts'

interface EndpointAnswerParts {
  readonly clock: Clock
  readonly log: Log
  readonly kept: AnswerCache
  /** Counts what a large answer costs. */
  readonly charge: (request: FastifyRequest, row: Endpoint, bytes: number) => void
  /** Remembers a change that was made outside of a transaction. */
  readonly addAudit: (entry: AuditEntry) => Promise<void>
}

/** What an endpoint does: its input is checked, its use case called, and what came of that is sent. */
export function createEndpointAnswer(parts: EndpointAnswerParts): (route: Route) => Answer {
  const { clock, log, kept, charge } = parts
  const streamTurns = createTurns(LARGE_AT_ONCE)

  /** What was done cannot be taken back because this fails. */
  const addAudit = (entry: AuditEntry): Promise<void> =>
    parts
      .addAudit(entry)
      .catch((err: unknown) =>
        log.error({ err, ...entry }, 'a change could not be recorded in the audit log'),
      )

  const entryOf = (request: FastifyRequest, row: Endpoint, body: unknown): AuditEntry =>
    auditEntryOf(row, request.who as Context, {
      requestId: request.id,
      at: clock.now(),
      ip: senderOf(request.raw).address,
      userAgent: request.headers['user-agent'] ?? '',
      params: request.params as Record<string, string>,
      body,
    })

  return function prepare({ endpoint: row, handle }: Route): Answer {
    const { body, query, reply: form } = row
    const status = row.status ?? 200
    const audits = isAudited(row)
    const validators = {
      body: body !== undefined && body !== 'raw' ? compileValidate('body', body, row) : undefined,
      querystring: query === undefined ? undefined : compileValidate('querystring', query, row),
    }
    const serialise = typeof form === 'object' ? serialiser(form) : undefined
    return (request, reply) => {
      if (row.streamed) return stream(request, reply)
      const isHeld = request.endTurn !== undefined || request.held?.isCounted === true
      return isHeld
        ? (async () => answer(request, reply))().finally(() => letGo(request))
        : answer(request, reply)
    }

    /** A few at a time for one account, because what a large answer is made from is many times as large. */
    async function stream(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const endTurn = await streamTurns.take(callerOf(request))
      try {
        const { body, ...rest } = (await answer(request, reply)) as RawReply
        const all = counted(body as Readable, (bytes) => {
          endTurn()
          charge(request, row, bytes)
        })
        return sendAs('raw', reply, { ...rest, body: all })
      } catch (error) {
        endTurn()
        throw error
      }
    }

    function keeping(request: FastifyRequest, readAt: number) {
      return (answer: unknown): string => {
        const text = serialise?.(answer) ?? ''
        kept.keep(readAt, request.raw, row, request.who as Context, text)
        return text
      }
    }

    // Not async itself, and without a word after the use case where JSON is answered: fewer promises.
    function answer(request: FastifyRequest, reply: FastifyReply): unknown {
      const query = request.query as Record<string, unknown>
      if (validators.querystring) validators.querystring(query)
      // A request without any body has not met the parser.
      const input = validators.body
        ? (request.body ?? {})
        : body === 'raw'
          ? (request.body ?? request.raw)
          : request.body
      const checked = validators.body?.(input)
      const call = () =>
        handle(request.who as Context | Visit, {
          params: request.params,
          query: query as never,
          body: input as never,
          headers: request.headers,
        })
      const work = checked === undefined ? call : () => checked.then(call)
      const made = audits ? audited(entryOf(request, row, input), work, addAudit) : work()
      reply.code(status)
      if (serialise)
        reply
          .serializer(request.readAt === undefined ? serialise : keeping(request, request.readAt))
          .header('content-type', JSON_TYPE)
      if (row.noStore) reply.header('cache-control', 'no-store')
      return typeof form === 'object' || row.streamed
        ? made
        : Promise.resolve(made).then((it) => sendAs(form, reply, it))
    }
  }
}

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import {
  type BodyOf,
  type Endpoint,
  methodOf,
  pathOf,
  type ReplyForm,
  type ReplyOf,
} from '#contract/endpoint.ts'
import { AloftError, codeOf, invalidRequest, noSuch } from '#contract/errors.ts'
import { isOld } from '#contract/generation.ts'

interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface TestAnswer {
  readonly row: Endpoint
  readonly answer: (request: SeenRequest) => unknown
}

/** What a row answers. Throwing an `AloftError` answers as the contract says for the row's generation. */
export const answers = <
  On extends string,
  Query extends TSchema | undefined,
  Body extends TSchema | 'raw' | undefined,
  Reply extends ReplyForm,
>(
  row: Endpoint<On, Query, Body, Reply>,
  answer: (
    request: Omit<SeenRequest, 'body'> & { readonly body: Body extends 'raw' ? Buffer : BodyOf<Body> },
  ) => ReplyOf<Reply>,
): TestAnswer => ({ row, answer }) as unknown as TestAnswer

export interface TestApi {
  readonly baseUrl: string
  readonly requests: readonly SeenRequest[]
  /** Cuts all connections, as a server does that is killed. */
  cut(): void
  stop(): Promise<void>
}

/** Of what is no endpoint, only JSON can be read. */
const isRaw = (row: Endpoint | undefined, { headers }: IncomingMessage): boolean =>
  row === undefined ? headers['content-type']?.includes('json') !== true : row.body === 'raw'

/**
 * A server that answers as the contract says: a request that a row's schemas refuse gets 400, and an answer
 * that they do not describe is a mistake of the test, told by a 500.
 */
export async function startTestApi(table: readonly TestAnswer[]): Promise<TestApi> {
  const requests: SeenRequest[] = []

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://test')
    const found = findRow(table, req.method ?? '', url.pathname)
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const request: SeenRequest = {
      method: req.method ?? '',
      path: url.pathname,
      params: found?.params ?? {},
      query: Object.fromEntries(url.searchParams),
      headers: req.headers,
      body: isRaw(found?.row, req) ? bytes : bytes.length === 0 ? undefined : JSON.parse(bytes.toString()),
    }
    requests.push(request)
    res.setHeader('x-request-id', `req_test${requests.length}`)
    try {
      if (!found) throw noSuch('endpoint', url.pathname)
      checkRequest(found.row, request)
      send(res, found.row, await found.answer(request))
    } catch (error) {
      refuse(res, found?.row, error)
    }
  }

  const server = createServer((req, res) => void handle(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    cut: () => server.closeAllConnections(),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function findRow(table: readonly TestAnswer[], method: string, path: string) {
  for (const { row, answer } of table) {
    const pattern = pathOf(row).replace(/:(\w+)/g, '(?<$1>[^/]+)')
    const match = methodOf(row) === method ? new RegExp(`^${pattern}$`).exec(path) : null
    if (match === null) continue
    const params = Object.entries(match.groups ?? {}).map(([k, v]) => [k, decodeURIComponent(v)])
    return { row, answer, params: Object.fromEntries(params) as Record<string, string> }
  }
  return undefined
}

function checkRequest(row: Endpoint, { headers, body }: SeenRequest): void {
  if (row.access.kind !== 'public' && !headers.authorization?.startsWith('Bearer '))
    throw new AloftError('auth_failed', 'This endpoint needs a token.', { missingToken: true })
  if (typeof row.body === 'object' && !Check(row.body, body))
    throw invalidRequest('the body has a form that is not accepted')
}

function send(res: ServerResponse, row: Endpoint, answer: unknown): void {
  if (row.reply === 'empty') return void res.end()
  if (row.reply === 'html') return void res.setHeader('content-type', 'text/html').end(answer)
  if (row.reply === 'raw') {
    const { type, body } = answer as { type: string; body: string }
    return void res.setHeader('content-type', type).end(body)
  }
  if (!Check(row.reply, answer))
    throw new Error(`the test's answer to ${row.on} is not what the row describes`)
  res.setHeader('content-type', 'application/json; charset=utf-8').end(JSON.stringify(answer))
}

function refuse(res: ServerResponse, row: Endpoint | undefined, thrown: unknown): void {
  const error =
    thrown instanceof AloftError
      ? thrown
      : new AloftError('internal_server_error', thrown instanceof Error ? thrown.message : String(thrown))
  const code = codeOf(error.kind, row !== undefined && isOld(row.gen))
  res.statusCode = error.status
  res
    .setHeader('content-type', 'application/json; charset=utf-8')
    .end(JSON.stringify({ error: { code, message: error.message, ...error.extra } }))
}

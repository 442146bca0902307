import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { Generation } from './generation.ts'
import type { LimitGroup } from './limit/limits.ts'
import type { Access } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The parameters that a path pattern names: `GET /v1/teams/:id` → `{ id: string }`. */
export type ParamsOf<On extends string> = On extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? { readonly [K in Name]: string } & ParamsOf<Tail>
    : { readonly [K in Rest]: string }
  : unknown

/** How an answer's body is made: from a schema as JSON, or in one of these other forms. */
export type ReplyForm = TSchema | 'empty' | 'html' | 'raw'

/**
 * An endpoint as data. Routing, validation, serialisation, authorisation, rate limits, the list of
 * accepted methods and the OpenAPI description all come from these rows: what has no row does not exist.
 */
export interface Endpoint<
  On extends string = string,
  Query extends TSchema | undefined = TSchema | undefined,
  Body extends TSchema | 'raw' | undefined = TSchema | 'raw' | undefined,
  Reply extends ReplyForm = ReplyForm,
  Streamed extends boolean = boolean,
> {
  /** Method and path, for example `PATCH /v2/platform/secrets/:name`. */
  readonly on: On & `${Method} /${string}`
  readonly gen: Generation
  readonly summary: string
  /** More than fits into the summary, for the description of the API. */
  readonly description?: string
  readonly access: Access
  readonly limit: LimitGroup
  readonly query?: Query
  readonly body?: Body
  readonly reply: Reply
  /** Status of success; 200 unless said. */
  readonly status?: number
  /** Largest body in bytes; 10 MB unless said. */
  readonly bodyLimit?: number
  /** The team to act for may be named by its slug as well (`?slug=`). */
  readonly teamBySlug?: boolean
  /** The status of a failed authentication; 403 unless said. */
  readonly unauthenticated?: 401
  /** Also reads `application/x-www-form-urlencoded`: HTML forms and OAuth. */
  readonly form?: boolean
  /** Adds `keyword`, `dataPath` and `params` to a validation error. */
  readonly detailedErrors?: boolean
  /** Text in the body may hold NUL characters, because it is content and not a name. */
  readonly binaryText?: boolean
  /** The JSON of the answer can be so large that its handler sends it as it goes. */
  readonly streamed?: Streamed
  /** May take long before it begins to answer. */
  readonly slow?: boolean
  /** Left out of the description: pages for people. Those `by-accept` tell programs what is wrong in JSON. */
  readonly page?: boolean | 'by-accept'
  /**
   * What it answers depends on nothing but who asks and what the database holds: no clock, no memory of a process, no header.
   * It may be sent again for as long as nothing was written.
   */
  readonly keepable?: boolean
  /** Answers hold secrets, which nobody on the way may keep. */
  readonly noStore?: boolean
}

// The words come before `TSchema` in these, because text passes for a schema of anything.
export type QueryOf<Query> = Query extends undefined
  ? Record<string, never>
  : Query extends TSchema
    ? Static<Query>
    : never
export type BodyOf<Body> = Body extends undefined
  ? undefined
  : Body extends 'raw'
    ? Readable
    : Body extends TSchema
      ? Static<Body>
      : never
export type ReplyOf<Reply> = Reply extends 'html'
  ? string
  : Reply extends 'raw'
    ? RawReply
    : Reply extends 'empty'
      ? undefined
      : Reply extends TSchema
        ? Static<Reply>
        : never

/** An answer that is not JSON: content with its own type. */
export interface RawReply {
  readonly type: string
  readonly body: Readable | Buffer | string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Instead of the endpoint's status of success. */
  readonly status?: number
  /** The body has no end of its own: a client that ends its side of the connection does not wait for any. */
  readonly endless?: boolean
}

/** A request to an endpoint after validation. */
export interface Input<On extends string, Query, Body> {
  readonly params: ParamsOf<On>
  readonly query: QueryOf<Query>
  readonly body: BodyOf<Body>
  readonly headers: IncomingHttpHeaders
}

/**
 * Declares a row, keeping its literal types for handlers and clients. Unless it says so, it is of the current generation,
 * and counts as a read if it is a GET, as a write otherwise.
 */
export const endpoint = <
  const On extends string,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | 'raw' | undefined = undefined,
  Reply extends ReplyForm = TSchema,
  const Streamed extends boolean = false,
>(
  row: Omit<Endpoint<On, Query, Body, Reply, Streamed>, 'gen' | 'limit'> &
    Partial<Pick<Endpoint, 'gen' | 'limit'>>,
): Endpoint<On, Query, Body, Reply, Streamed> => ({
  gen: 'current',
  limit: row.on.startsWith('GET ') ? 'read' : 'write',
  ...row,
})

export const methodOf = (row: Endpoint): Method => row.on.slice(0, row.on.indexOf(' ')) as Method
export const pathOf = (row: Endpoint): string => row.on.slice(row.on.indexOf(' ') + 1)

import type { TSchema } from 'typebox'
import type { Endpoint, Input, RawReply, ReplyForm, ReplyOf } from '#contract/endpoint.ts'
import type { Context, Visit } from '#core/access/context.ts'

/** A row of the API: an endpoint and what it does. */
export interface Route {
  readonly endpoint: Endpoint
  /** Where it is reached, if that is not what the endpoint itself says: other clients know it by another address. */
  readonly at?: string
  readonly handle: (who: Context | Visit, input: Input<string, unknown, unknown>) => unknown
}

type Awaitable<T> = T | Promise<T>

/** An endpoint for callers who have signed in. */
export const route = <
  On extends string,
  Query extends TSchema | undefined,
  Body extends TSchema | 'raw' | undefined,
  Reply extends ReplyForm,
  Streamed extends boolean,
>(
  endpoint: Endpoint<On, Query, Body, Reply, Streamed>,
  handle: (
    ctx: Context,
    input: Input<On, Query, Body>,
  ) => Awaitable<Streamed extends true ? RawReply : ReplyOf<Reply>>,
): Route => {
  if (endpoint.access.kind === 'public') throw new Error(`${endpoint.on} is public: use publicRoute`)
  return { endpoint, handle } as unknown as Route
}

/** An endpoint that anybody may call. */
export const publicRoute = <
  On extends string,
  Query extends TSchema | undefined,
  Body extends TSchema | 'raw' | undefined,
  Reply extends ReplyForm,
>(
  endpoint: Endpoint<On, Query, Body, Reply>,
  handle: (visit: Visit, input: Input<On, Query, Body>) => Awaitable<ReplyOf<Reply>>,
): Route => {
  if (endpoint.access.kind !== 'public') throw new Error(`${endpoint.on} is not public: use route`)
  return { endpoint, handle } as unknown as Route
}

import type { IncomingHttpHeaders } from 'node:http'
import type { Endpoint, ReplyForm, ReplyOf } from '#contract/endpoint.ts'
import type { Context } from '#core/access/context.ts'
import type { Deployment } from '#core/deployment/deployment.ts'
import type { ProjectDomain } from '#core/project-domain/project-domain.ts'

/** A request after its JSON was read, in whatever shape its client sends it. */
export interface CompatRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: another client's body, which the endpoint that it is for checks
  readonly body: any
  readonly headers: IncomingHttpHeaders
}

export type PartialRequest = Partial<CompatRequest>

/** What clients leave open they may send as an empty text. */
export const isSaid = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** What an answer is filled from besides itself. */
export interface CompatContext {
  readonly asked: CompatRequest
  readonly ctx: Context
  /** Where people see what the API shows: `{base_url}`. */
  readonly site: string
  /** All that is known of a deployment that the caller may read, of which the endpoints of this API show a part. */
  findDeployment(id: string): Promise<Deployment>
  /** The same of all that a list names, by their ids: one look-up for a page. */
  findDeployments(ids: readonly string[]): Promise<ReadonlyMap<string, Deployment>>
  /** The one of this name, whichever project of the account has it. */
  findProjectDomain(name: string): Promise<Pick<ProjectDomain, 'projectId' | 'name'> | undefined>
  /** What the caller is in the teams of a list, by their ids. */
  rolesIn(teamIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Asks another endpoint in the name of the same caller, who has to be allowed that as well. */
  call<Reply extends ReplyForm>(
    endpoint: Pick<Endpoint<string, never, never, Reply>, 'on' | 'reply'>,
    given?: PartialRequest,
  ): Promise<ReplyOf<Reply>>
}

/**
 * An address that other clients know, and the endpoint of ours that it is. Rows are data: what they `read` and `show`
 * changes the shape of a request and of its answer, and decides nothing.
 */
export interface CompatRow {
  /**
   * Method and path. `{a,b}` stands for either, as in a shell: `GET /v{12,13}{,/now}/deployments/:id`. Where it is the
   * endpoint's own, the row adds fields to its answer; only endpoints that the documents do not name have such rows.
   */
  readonly on: string
  readonly is: Endpoint
  readonly read?: (asked: CompatRequest, also: CompatContext) => PartialRequest | Promise<PartialRequest>
  // biome-ignore lint/suspicious/noExplicitAny: the answer of the endpoint, whose row names its type
  readonly show?: (answer: any, also: CompatContext) => unknown
  /** Answers by itself, from what other endpoints tell. */
  readonly answer?: (also: CompatContext) => unknown
  readonly status?: number
  /** What it shows is content with a type of its own, like what it is made from. */
  readonly raw?: boolean
}

/** `GET /v{1,2}/x` → `GET /v1/x`, `GET /v2/x`. */
export function expand(pattern: string): readonly string[] {
  const [all, before = '', choices = '', after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(pattern) ?? []
  if (all === undefined) return [pattern]
  return choices.split(',').flatMap((choice) => expand(`${before}${choice}${after}`))
}

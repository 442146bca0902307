import { type Endpoint, methodOf, pathOf } from '#contract/endpoint.ts'

export interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Fills the row's path. A value that would change which path it is cannot be sent at all. */
function fillPath(row: Endpoint, params: Readonly<Record<string, string>> = {}): string {
  return pathOf(row).replace(/:(\w+)/g, (_match, name: string) => {
    const value = params[name]
    if (value === undefined || value === '' || value === '.' || value === '..')
      throw new TypeError(`\`${name}\` cannot be "${value ?? ''}".`)
    return encodeURIComponent(value)
  })
}

function buildUrl(
  baseUrl: string,
  row: Endpoint,
  { params, query }: LooseInput,
  teamId: string | undefined,
): string {
  const search = new URLSearchParams()
  // Nobody is signed in on a public endpoint, so there is no team to act for.
  if (teamId !== undefined && row.access.kind !== 'public') search.set('teamId', teamId)
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined) search.set(name, String(value))
  const text = search.toString()
  return `${baseUrl}${fillPath(row, params)}${text === '' ? '' : `?${text}`}`
}

/** The parts of a request that stay the same when it is repeated. */
export interface Prepared {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** False when the body is a stream. */
  readonly repeatable: boolean
}

export function prepare(
  baseUrl: string,
  row: Endpoint,
  input: LooseInput,
  options: {
    readonly token: string | undefined
    readonly teamId: string | undefined
    readonly userAgent: string | undefined
  },
): Prepared {
  const { token, teamId, userAgent } = options
  const raw = row.body === 'raw'
  const hasJson = !raw && input.body !== undefined
  return {
    method: methodOf(row),
    url: buildUrl(baseUrl, row, input, teamId),
    headers: {
      accept: typeof row.reply === 'object' ? 'application/json' : '*/*',
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
      ...(hasJson ? { 'content-type': 'application/json' } : {}),
      ...(raw ? { 'content-type': 'application/octet-stream' } : {}),
      ...input.headers,
      // A public endpoint has no use for the token, so it does not get it.
      ...(token === undefined || row.access.kind === 'public' ? {} : { authorization: `Bearer ${token}` }),
    },
    body: hasJson ? JSON.stringify(input.body) : input.body,
    repeatable: !raw || input.body instanceof Uint8Array || input.body instanceof Blob,
  }
}

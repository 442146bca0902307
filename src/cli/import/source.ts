import { setTimeout } from 'node:timers/promises'
import { CliError, EXIT } from '../exit.ts'

export interface SourceProject {
  readonly id: string
  readonly name: string
  readonly framework?: string | null
  readonly buildCommand?: string | null
  readonly devCommand?: string | null
  readonly installCommand?: string | null
  readonly outputDirectory?: string | null
  readonly rootDirectory?: string | null
  readonly nodeVersion?: string
}

export interface SourceVariable {
  readonly key: string
  readonly value: string
  readonly type: string
  readonly target?: string | readonly string[]
  readonly gitBranch?: string | null
  readonly decrypted?: boolean
}

export interface SourceDomain {
  readonly name: string
  readonly redirect?: string | null
  readonly redirectStatusCode?: number | null
  readonly gitBranch?: string | null
}

export interface SourceRecord {
  readonly name: string
  readonly type: string
  readonly value: string
  readonly creator?: string
  readonly mxPriority?: number
}

interface SourceAlias {
  readonly alias: string
  readonly deploymentId?: string | null
  readonly projectId?: string | null
}

export interface SourceWebhook {
  readonly url: string
  readonly events: readonly string[]
  /** Those that it is told of; absent: all. */
  readonly projectIds?: readonly string[] | null
}

export interface SourceDeployment {
  readonly uid: string
  readonly url: string
}

export interface SourceFile {
  readonly name: string
  readonly type: string
  readonly uid?: string
  readonly mode?: number
  readonly children?: readonly SourceFile[]
}

/** An account elsewhere, read through its API and changed by nothing. */
export interface Source {
  projects(): Promise<readonly SourceProject[]>
  variables(projectId: string): Promise<readonly SourceVariable[]>
  projectDomains(projectId: string): Promise<readonly SourceDomain[]>
  domains(): Promise<readonly { readonly name: string }[]>
  records(domain: string): Promise<readonly SourceRecord[]>
  aliases(): Promise<readonly SourceAlias[]>
  webhooks(): Promise<readonly SourceWebhook[]>
  /** The newest one in production that is ready. */
  production(projectId: string): Promise<SourceDeployment | undefined>
  files(deploymentId: string): Promise<readonly SourceFile[]>
  content(deploymentId: string, fileId: string): Promise<Uint8Array>
}

interface SourceAddress {
  readonly url: string
  readonly token: string
  readonly team?: string | undefined
}

const PAGE = 100
/** More pages than anybody has: a source that never ends is not read for ever. */
const MAX_PAGES = 1000
const ATTEMPTS = 4

export function openSource({ url, token, team }: SourceAddress): Source {
  async function get<T>(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<T> {
    const address = new URL(path, url)
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value))
    if (team !== undefined) address.searchParams.set('teamId', team)
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(address, {
        headers: { authorization: `Bearer ${token}` },
        redirect: 'error',
      }).catch((error: Error) => {
        throw new CliError(
          EXIT.failure,
          `${url} cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.message}.`,
        )
      })
      if (response.ok) return (await response.json()) as T
      const isBusy = response.status === 429 || response.status >= 500
      if (!isBusy || attempt === ATTEMPTS) throw await refused(address.pathname, response)
      await response.body?.cancel()
      const seconds = Number(response.headers.get('retry-after')) || 2 ** attempt
      await setTimeout(Math.min(seconds, 60) * 1000)
    }
  }

  /** All pages of a list; each goes on before the last one of the page before. */
  async function all<T>(path: string, key: string) {
    const found: T[] = []
    let until: number | undefined
    for (let page = 0; page < MAX_PAGES; page++) {
      const answer = await get<Record<string, unknown>>(path, {
        limit: PAGE,
        ...(until === undefined ? {} : { until }),
      })
      found.push(...((answer[key] ?? []) as T[]))
      const next = (answer.pagination as { next?: number | null } | undefined)?.next
      if (next === undefined || next === null || next === until) return found
      until = next
    }
    return found
  }

  const named = (text: string): string => encodeURIComponent(text)
  return {
    projects: () => all<SourceProject>('/v9/projects', 'projects'),
    variables: async (id) =>
      (await get<{ envs: SourceVariable[] }>(`/v9/projects/${named(id)}/env`, { decrypt: 'true' })).envs,
    projectDomains: (id) => all<SourceDomain>(`/v9/projects/${named(id)}/domains`, 'domains'),
    domains: () => all<{ name: string }>('/v5/domains', 'domains'),
    records: (domain) => all<SourceRecord>(`/v4/domains/${named(domain)}/records`, 'records'),
    aliases: () => all<SourceAlias>('/v4/aliases', 'aliases'),
    webhooks: () => get<SourceWebhook[]>('/v1/webhooks'),
    async production(projectId) {
      const { deployments } = await get<{ deployments: SourceDeployment[] }>('/v6/deployments', {
        projectId,
        target: 'production',
        state: 'READY',
        limit: 1,
      })
      return deployments[0]
    },
    files: (id) => get<SourceFile[]>(`/v6/deployments/${named(id)}/files`),
    async content(id, fileId) {
      const { data } = await get<{ data: string }>(`/v8/deployments/${named(id)}/files/${named(fileId)}`)
      return Buffer.from(data, 'base64')
    },
  }
}

async function refused(path: string, response: Response): Promise<CliError> {
  const { error } = ((await response.json().catch(() => ({}))) as { error?: { message?: string } }) ?? {}
  return new CliError(
    EXIT.failure,
    `The source refused ${path} (${response.status}): ${error?.message ?? 'no reason given'}`,
    response.status === 401 || response.status === 403
      ? 'Check the token of the source, and its access to the team given with --from-team.'
      : undefined,
  )
}

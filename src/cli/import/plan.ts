import { ApiError } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { deployFiles } from '#client/deploy-files.ts'
import type { MemoryFile } from '#client/memory-file.ts'
import { assignAlias, listAliases } from '#contract/api/alias.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { createDnsRecord, listDnsRecords } from '#contract/api/dns-record.ts'
import { addDomain, listDomains } from '#contract/api/domain.ts'
import { createVariables, ENV_TYPES, listVariables } from '#contract/api/env-variable.ts'
import { NEW_PROJECT_NODE_VERSION, PROJECT_NODE_VERSIONS } from '#contract/api/node-versions.ts'
import {
  createProject,
  FRAMEWORKS,
  type Framework,
  getProject,
  updateProject,
} from '#contract/api/project.ts'
import { addProjectDomain, listProjectDomains } from '#contract/api/project-domain.ts'
import { createWebhook, listWebhooks } from '#contract/api/webhook.ts'
import type { Source, SourceFile, SourceProject, SourceRecord, SourceVariable } from './source.ts'

/** One thing of the account, and what becomes of it here. */
export interface Item {
  readonly kind: string
  readonly name: string
  /** `new`: it will come along. `there`: it is here already. `cannot`: it stays behind. */
  readonly state: 'new' | 'there' | 'cannot'
  readonly why?: string
  readonly make?: () => Promise<unknown>
}

/** Tells which deployment of the source one of ours was made from: what was brought once is not brought again. */
const IMPORTED = 'importedFrom'
const RECORD_TYPES = new Set(['A', 'AAAA', 'ALIAS', 'CAA', 'CNAME', 'MX', 'SRV', 'TXT'])

const there = (kind: string, name: string): Item => ({ kind, name, state: 'there' })
const cannot = (kind: string, name: string, why: string): Item => ({ kind, name, state: 'cannot', why })
const fresh = (kind: string, name: string, make: () => Promise<unknown>): Item => ({
  kind,
  name,
  state: 'new',
  make,
})

/** Compares the two accounts. Asked again, it finds what is still to be done: so it goes on where it was stopped. */
export async function planImport(
  source: Source,
  api: Client,
  { only, onRead }: { readonly only: string | undefined; readonly onRead: (what: string) => void },
): Promise<readonly Item[]> {
  const items: Item[] = []
  const projects = (await source.projects()).filter(({ name }) => only === undefined || name === only)
  const hosts = new Set<string>()
  for (const project of projects) {
    onRead(`project ${project.name}`)
    items.push(...(await planProject(source, api, project, hosts)))
  }
  if (only !== undefined) return items
  onRead('domains')
  items.push(...(await planDomains(source, api)))
  onRead('aliases')
  items.push(...(await planAliases(source, api, projects, hosts)))
  onRead('webhooks')
  items.push(...(await planWebhooks(source, api)))
  return items
}

async function orNone<T>(wanted: Promise<T>): Promise<T | undefined> {
  try {
    return await wanted
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

async function planProject(
  source: Source,
  api: Client,
  project: SourceProject,
  hosts: Set<string>,
): Promise<readonly Item[]> {
  const { name } = project
  const params = { idOrName: name }
  const known = await orNone(api.call(getProject, { params }))
  const variables = known ? (await api.call(listVariables, { params })).envs : []
  const domains = known ? (await api.call(listProjectDomains, { params, query: { limit: 100 } })).domains : []
  const items: Item[] = [
    known ? there('project', name) : fresh('project', name, () => makeProject(api, project)),
  ]
  for (const variable of await source.variables(project.id)) {
    const targets = [variable.target ?? []].flat()
    const shown = `${name}: ${variable.key} (${targets.join(', ')})`
    const isThere = variables.some(
      (each) =>
        each.key === variable.key &&
        (each.gitBranch ?? null) === (variable.gitBranch ?? null) &&
        targets.every((target) => ([each.target].flat() as string[]).includes(target)),
    )
    const why = unreadable(variable)
    items.push(
      isThere
        ? there('variable', shown)
        : why === undefined
          ? fresh('variable', shown, () => makeVariable(api, name, variable, targets))
          : cannot('variable', shown, why),
    )
  }
  const production = await source.production(project.id)
  if (production === undefined) items.push(cannot('deployment', name, 'It has none in production.'))
  else {
    const query = { [`meta-${IMPORTED}`]: production.uid, limit: 1 }
    const { deployments } = await api.call(listDeployments, { query: query as never })
    items.push(
      deployments.length > 0
        ? there('deployment', production.url)
        : fresh('deployment', production.url, () => makeDeployment(source, api, name, production.uid)),
    )
  }
  const platform = (production?.url ?? '').replace(/^[^.]+/, '')
  for (const domain of await source.projectDomains(project.id)) {
    hosts.add(domain.name)
    const { redirect, redirectStatusCode, gitBranch } = domain
    if (domains.some((each) => each.name === domain.name)) items.push(there('project domain', domain.name))
    else if (platform !== '' && domain.name.endsWith(platform))
      items.push(
        cannot(
          'project domain',
          domain.name,
          'It is a name of the other platform; here it gets one of its own.',
        ),
      )
    else
      items.push(
        fresh('project domain', domain.name, () =>
          api.call(addProjectDomain, {
            params,
            body: {
              name: domain.name,
              ...(redirect
                ? {
                    redirect,
                    ...(redirectStatusCode ? { redirectStatusCode: redirectStatusCode as 307 } : {}),
                  }
                : {}),
              ...(gitBranch ? { gitBranch } : {}),
            },
          }),
        ),
      )
  }
  // A domain that others are sent to has to be there before them.
  return items.toSorted((a, b) => Number(isRedirect(a)) - Number(isRedirect(b)))
}

const isRedirect = ({ kind }: Item): boolean => kind === 'project domain'

const unreadable = ({ type, decrypted, value }: SourceVariable): string | undefined => {
  if (type === 'sensitive') return 'Nobody can read its value: set it again with `aloft env add`.'
  if (type === 'secret') return 'It refers to a secret, whose value nobody can read.'
  if (type === 'system') return 'It comes from the platform itself.'
  return type === 'encrypted' && decrypted === false && value !== ''
    ? 'The token may not read its value.'
    : undefined
}

async function makeProject(api: Client, p: SourceProject): Promise<void> {
  const framework = FRAMEWORKS.find((each) => each === p.framework) as Framework | undefined
  const lines = {
    buildCommand: p.buildCommand,
    devCommand: p.devCommand,
    installCommand: p.installCommand,
    outputDirectory: p.outputDirectory,
    rootDirectory: p.rootDirectory,
  }
  const set = Object.fromEntries(Object.entries(lines).filter(([, text]) => typeof text === 'string'))
  const nodeVersion = PROJECT_NODE_VERSIONS.find((each) => each === p.nodeVersion) ?? NEW_PROJECT_NODE_VERSION
  const { id } = await api.call(createProject, {
    body: { name: p.name, ...set, ...(framework ? { framework } : {}) },
  })
  await api.call(updateProject, { params: { idOrName: id }, body: { nodeVersion } })
}

const makeVariable = (
  api: Client,
  idOrName: string,
  { key, value, type, gitBranch }: SourceVariable,
  target: string[],
): Promise<unknown> =>
  api.call(createVariables, {
    params: { idOrName },
    query: { upsert: true },
    body: {
      key,
      value,
      type: ENV_TYPES.find((each) => each === type) ?? 'encrypted',
      target,
      ...(gitBranch ? { gitBranch } : {}),
    },
  })

/** Folders in folders, as one list of paths. */
function* filesIn(tree: readonly SourceFile[], above = ''): Generator<{ path: string; file: SourceFile }> {
  for (const file of tree)
    if (file.children) yield* filesIn(file.children, `${above}${file.name}/`)
    else if (file.type === 'file' && file.uid !== undefined) yield { path: `${above}${file.name}`, file }
}

const FORMAT = 0o170000
const REGULAR = 0o100000
/** Where other platforms keep what was deployed, beside what they made of it. */
const SOURCES = 'src/'

async function makeDeployment(
  source: Source,
  api: Client,
  name: string,
  deploymentId: string,
): Promise<void> {
  const found = [...filesIn(await source.files(deploymentId))]
  const isKeptApart =
    found.some(({ path }) => path.startsWith('out/')) && found.some(({ path }) => path.startsWith(SOURCES))
  const wanted = isKeptApart
    ? found
        .filter(({ path }) => path.startsWith(SOURCES))
        .map(({ path, file }) => ({ path: path.slice(SOURCES.length), file }))
    : found
  const files: MemoryFile[] = []
  for (const { path, file } of wanted) {
    const { uid = '', mode } = file
    const bytes = await source.content(deploymentId, uid)
    files.push({
      path,
      size: bytes.length,
      ...(mode !== undefined && (mode & FORMAT) === REGULAR ? { mode } : {}),
      bytes: () => bytes,
    })
  }
  const meta = { [IMPORTED]: deploymentId }
  for await (const event of deployFiles({
    client: api,
    name,
    target: 'production',
    meta,
    files,
    force: true,
  }))
    if (event.type === 'error')
      throw new Error(event.deployment.errorMessage ?? 'Its build failed: see `aloft logs`.')
}

async function planDomains(source: Source, api: Client): Promise<readonly Item[]> {
  const here = new Set(
    (await api.call(listDomains, { query: { limit: 100 } })).domains.map(({ name }) => name),
  )
  const items: Item[] = []
  for (const { name } of await source.domains()) {
    items.push(
      here.has(name)
        ? there('domain', name)
        : fresh('domain', name, () => api.call(addDomain, { body: { name } })),
    )
    const known = here.has(name)
      ? (await api.call(listDnsRecords, { params: { domain: name }, query: { limit: 100 } })).records
      : []
    for (const record of await source.records(name)) items.push(...planRecord(api, name, record, known))
  }
  return items
}

function planRecord(
  api: Client,
  domain: string,
  record: SourceRecord,
  known: readonly { readonly name: string; readonly type: string; readonly value: string }[],
): readonly Item[] {
  // What the platform makes by itself it makes here as well.
  if (record.creator === 'system') return []
  const value =
    record.type === 'MX' && record.mxPriority !== undefined && !/^\d+ /.test(record.value)
      ? `${record.mxPriority} ${record.value}`
      : record.value
  const shown = `${record.name === '' ? '@' : record.name} ${record.type} ${value} (${domain})`
  if (!RECORD_TYPES.has(record.type))
    return [cannot('record', shown, `There are no ${record.type} records here.`)]
  const isThere = known.some(
    (each) => each.name === record.name && each.type === record.type && each.value === value,
  )
  const body = { name: record.name, type: record.type, value }
  return [
    isThere
      ? there('record', shown)
      : fresh('record', shown, () => api.call(createDnsRecord, { params: { domain }, body })),
  ]
}

/** Names that lead to what is in production of a project, beside its domains. */
async function planAliases(
  source: Source,
  api: Client,
  projects: readonly SourceProject[],
  domains: ReadonlySet<string>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  const here = new Set(
    (await api.call(listAliases, { query: { limit: 100 } })).aliases.map(({ alias }) => alias),
  )
  for (const { alias, projectId, deploymentId } of await source.aliases()) {
    const project = projects.find(({ id }) => id === projectId)
    if (domains.has(alias) || project === undefined) continue
    const production = await source.production(project.id)
    const platform = (production?.url ?? '').replace(/^[^.]+/, '')
    if (here.has(alias)) items.push(there('alias', alias))
    else if (production === undefined || production.uid !== deploymentId)
      items.push(cannot('alias', alias, 'It leads to a deployment that does not come along.'))
    else if (platform !== '' && alias.endsWith(platform))
      items.push(cannot('alias', alias, 'It is a name of the other platform; here it gets one of its own.'))
    else
      items.push(
        fresh('alias', alias, async () => {
          const query = { [`meta-${IMPORTED}`]: production.uid, limit: 1 }
          const { deployments } = await api.call(listDeployments, { query: query as never })
          const id = deployments[0]?.uid
          if (id === undefined) throw new Error('Its deployment is not here yet.')
          return api.call(assignAlias, { params: { id }, body: { alias } })
        }),
      )
  }
  return items
}

async function planWebhooks(source: Source, api: Client): Promise<readonly Item[]> {
  const here = await api.call(listWebhooks, {})
  return (await source.webhooks()).map(({ url, events }) =>
    here.some((each) => each.url === url)
      ? there('webhook', url)
      : fresh('webhook', `${url} (its secret will be another)`, () =>
          api.call(createWebhook, { body: { url, events: [...events] } }),
        ),
  )
}

import { isNotFound } from '#client/api-error.ts'
import type { Client } from '#client/client.ts'
import { everyPage } from '#client/every-page.ts'
import { createVariables, ENV_TYPES, listVariables } from '#contract/api/env-variable.ts'
import { NEW_PROJECT_NODE_VERSION, PROJECT_NODE_VERSIONS } from '#contract/api/node-versions.ts'
import { createProject, FRAMEWORKS, getProject, updateProject } from '#contract/api/project.ts'
import { addProjectDomain, listProjectDomains } from '#contract/api/project-domain.ts'
import { alreadyThere, cannot, fresh, type Item } from './item.ts'
import { findImported, findSymlinks, makeDeployment } from './make-deployment.ts'
import { isOfPlatform, NAME_OF_PLATFORM } from './platform-name.ts'
import type { Source, SourceDeployment, SourceDomain, SourceProject, SourceVariable } from './source.ts'

/** A project with all that is its own: settings, variables, what is in production, and its domains. */
export async function planProject(
  source: Source,
  api: Client,
  project: SourceProject,
  production: SourceDeployment | undefined,
): Promise<readonly Item[]> {
  const { name } = project
  const known = await orNone(api.call(getProject, { params: { idOrName: name } }))
  return [
    known ? alreadyThere('project', name) : fresh('project', name, () => makeProject(api, project)),
    ...(await planVariables(source, api, project, known !== undefined)),
    ...(await planProduction(source, api, name, production)),
    ...(await planProjectDomains(source, api, project, known !== undefined, production)),
  ]
}

async function orNone<T>(wanted: Promise<T>): Promise<T | undefined> {
  try {
    return await wanted
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function planVariables(
  source: Source,
  api: Client,
  { id, name }: SourceProject,
  isThere: boolean,
): Promise<readonly Item[]> {
  const here = isThere ? (await api.call(listVariables, { params: { idOrName: name } })).envs : []
  return (await source.variables(id)).map((variable) => {
    const targets = [variable.target ?? []].flat()
    const shown = `${name}: ${variable.key} (${targets.join(', ')})`
    const isHere = here.some(
      (each) =>
        each.key === variable.key &&
        (each.gitBranch ?? null) === (variable.gitBranch ?? null) &&
        targets.every((target) => ([each.target].flat() as string[]).includes(target)),
    )
    const why =
      targets.length === 0
        ? 'It belongs to none of production, preview and development.'
        : unreadable(variable)
    if (why !== undefined) return cannot('variable', shown, why)
    return isHere
      ? alreadyThere('variable', shown)
      : fresh('variable', shown, () => makeVariable(api, name, variable, targets))
  })
}

async function planProduction(
  source: Source,
  api: Client,
  name: string,
  production: SourceDeployment | undefined,
): Promise<readonly Item[]> {
  if (production === undefined) return [cannot('deployment', name, 'It has no production deployment.')]
  const { uid, url } = production
  const isHere = (await findImported(api, uid)) !== undefined
  // Files that cannot be listed stop their deployment, which says so when it is brought, and not the whole plan.
  const symlinks = await findSymlinks(source, uid).catch(() => [])
  return [
    isHere
      ? alreadyThere('deployment', url)
      : fresh('deployment', url, (tell) => makeDeployment(source, api, { name, deploymentId: uid, tell })),
    ...symlinks.map((path) =>
      cannot(
        'symlink',
        `${name}: ${path}`,
        'Symlinks are skipped. Replace it with a file, then deploy again.',
      ),
    ),
  ]
}

async function planProjectDomains(
  source: Source,
  api: Client,
  { id, name }: SourceProject,
  isThere: boolean,
  production: SourceDeployment | undefined,
): Promise<readonly Item[]> {
  const params = { idOrName: name }
  const here = isThere
    ? await everyPage(
        (query) => api.call(listProjectDomains, { params, query }),
        (page) => page.domains.map((each) => each.name),
      )
    : []
  const wanted = await source.projectDomains(id)
  // A domain that others are sent to has to be there before them.
  const inOrder = wanted.toSorted((a, b) => Number(Boolean(a.redirect)) - Number(Boolean(b.redirect)))
  return inOrder.map((domain) => {
    if (here.includes(domain.name)) return alreadyThere('project domain', domain.name)
    return isOfPlatform(domain.name, production)
      ? cannot('project domain', domain.name, NAME_OF_PLATFORM)
      : fresh('project domain', domain.name, () => makeProjectDomain(api, name, domain))
  })
}

const makeProjectDomain = (
  api: Client,
  idOrName: string,
  { name, redirect, redirectStatusCode, gitBranch }: SourceDomain,
): Promise<unknown> =>
  api.call(addProjectDomain, {
    params: { idOrName },
    body: {
      name,
      ...(redirect
        ? { redirect, ...(redirectStatusCode ? { redirectStatusCode: redirectStatusCode as 307 } : {}) }
        : {}),
      ...(gitBranch ? { gitBranch } : {}),
    },
  })

const unreadable = ({ type, decrypted, value }: SourceVariable): string | undefined => {
  if (type === 'sensitive') return 'Its value cannot be read. Set it with `aloft env add`.'
  if (type === 'secret') return 'It references a secret, whose value cannot be read.'
  if (type === 'system') return 'It is set by the platform.'
  return type === 'encrypted' && decrypted === false && value !== ''
    ? 'The token is not allowed to read its value.'
    : undefined
}

async function makeProject(api: Client, p: SourceProject): Promise<void> {
  const framework = FRAMEWORKS.find((each) => each === p.framework)
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

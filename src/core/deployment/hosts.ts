import { createHash } from 'node:crypto'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { newId } from '#contract/ids.ts'
import type { Owner } from '../access/context.ts'
import { isReservedHost, type PlatformNames } from '../alias/platform-names.ts'
import { isHostLabel } from '../domain/domain-name.ts'
import { slugify } from '../user/user.ts'

const MAX_LABEL = 63
const MAX_NAME = 52

/** The project that a deployment's name stands for. */
export function projectSlug(name: string): string {
  if (name.length < 1 || name.length > MAX_NAME)
    throw invalidRequest(`\`name\` should be 1 to ${MAX_NAME} characters long`)
  const slug = slugify(name)
  if (slug === '') throw invalidRequest('`name` should contain a letter or a digit')
  return slug
}

/** Names of projects can hold more than a label of a host may. */
const cut = (name: string, room: number): string =>
  slugify(name).slice(0, Math.max(room, 1)).replace(/-+$/, '')

/** A host of its own for a deployment; drawn again when it is taken. */
export function deploymentHost(slug: string, owner: Pick<Owner, 'kind' | 'slug'>, domain: string): string {
  const tail = `-${newId.deploymentHash()}${owner.kind === 'team' ? `-${owner.slug}` : ''}`
  return `${cut(slug, MAX_LABEL - tail.length)}${tail}.${domain}`
}

export const defaultAlias = (project: string, scope: string, domain: string, suffix = ''): string => {
  const tail = `-${scope}${suffix === '' ? '' : `-${suffix}`}`
  return `${cut(project, MAX_LABEL - tail.length)}${tail}.${domain}`
}

export const stagingAlias = (project: string, scope: string, domain: string): string =>
  `${cut(project, MAX_LABEL)}.${scope}.${domain}`

/** The name that follows an environment. Where it is too long for a label, a digest tells it from others. */
export function environmentAlias(project: string, slug: string, scope: string, domain: string): string {
  const whole = `${slugify(project)}-env-${slug}-${scope}`
  if (whole.length <= MAX_LABEL) return `${whole}.${domain}`
  const digest = createHash('sha256').update(`${project}\0${slug}\0${scope}`).digest('hex').slice(0, 12)
  return `${cut(project, 20)}-env-${digest}.${domain}`
}

export const productionAlias = (project: string, domain: string): string =>
  `${cut(project, MAX_LABEL)}.${domain}`

/**
 * `<slug>-<nine letters and digits, some of each>`: what a deployment's own host looks like. Those that are drawn have
 * both, so that words of nine letters, as in `my-dashboard`, are left to people.
 */
const DEPLOYMENT_FORM = /-(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{9}(-[a-z][a-z0-9_-]*)?$/

/** Whether a label is one that a deployment could be given. */
export const hasDeploymentForm = (label: string): boolean => DEPLOYMENT_FORM.test(label)

const invalid = (alias: string, why: string) =>
  new AloftError('invalid_alias', `The alias \`${alias}\` ${why}.`, { alias })

/** An alias as it is stored: lower case, without scheme, port and path; a bare label is under the domain. */
export function readAlias(text: string, names: PlatformNames, owner: Pick<Owner, 'slug'>): string {
  const { domain } = names
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')
  const name = host.includes('.') ? host : `${host}.${domain}`
  const shown = text.slice(0, 100)
  if (
    name.length > 253 ||
    !name.split('.').every((label, i) => isHostLabel(label) || (i === 0 && label === '*'))
  )
    throw invalid(shown, 'is not a host name')
  if (host === domain) throw invalid(shown, 'is the platform’s own domain')
  if (isReservedHost(names, name)) throw invalid(shown, 'is reserved')
  if (!isPlatformHost(name, domain)) return name

  const labels = name.slice(0, -domain.length - 1).split('.')
  const [first = ''] = labels
  const isStaging = labels.length === 2 && labels[1] === owner.slug
  if (labels.length > 1 && !isStaging) throw invalid(shown, `should be one label under ${domain}`)
  if (first === '*') throw invalid(shown, 'is reserved')
  if (hasDeploymentForm(first)) throw invalid(shown, 'looks like the URL of a deployment')
  return name
}

export const isPlatformHost = (host: string, domain: string): boolean => host.endsWith(`.${domain}`)

import { isIPv4 } from 'node:net'
import { AloftError, invalidRequest } from '#contract/errors.ts'
import { newBearer } from '#contract/ids.ts'
import type { Plan } from '#contract/limit/limits.ts'
import { atLeast } from '../access/plan.ts'
import type { PasswordProtection, ProjectDetails, TrustedIps } from './project-details.ts'

const unavailable = (what: string, plan: Plan) =>
  new AloftError('protection_not_available', `${what} isn't included in the plan \`${plan}\`.`)

/** A password, or the one that is set already for another set of hosts. */
export function readPassword(
  request: {
    readonly deploymentType: PasswordProtection['deploymentType']
    readonly password?: string | null
  },
  current: PasswordProtection | null,
  { plan, seal }: { readonly plan: Plan; readonly seal: (password: string) => string },
): PasswordProtection {
  if (!atLeast(plan, 'enterprise')) throw unavailable('Password protection', plan)
  const { deploymentType, password } = request
  if (password !== undefined && password !== null)
    return { deploymentType, password: seal(password), version: newBearer() }
  if (current === null) throw invalidRequest('`passwordProtection.password` is required')
  return { ...current, deploymentType }
}

export function readSso(
  request: NonNullable<ProjectDetails['ssoProtection']>,
  plan: Plan,
): NonNullable<ProjectDetails['ssoProtection']> {
  if (request.deploymentType !== 'preview' && !atLeast(plan, 'pro'))
    throw unavailable('Protection of more than previews', plan)
  return request
}

export function readTrustedIps(request: TrustedIps, plan: Plan): TrustedIps {
  if (!atLeast(plan, 'enterprise'))
    throw invalidRequest('`trustedIps` is included only in the plan `enterprise`')
  for (const { value } of request.addresses)
    if (!isAddress(value))
      throw invalidRequest(
        `\`trustedIps.addresses\` has ${JSON.stringify(value.slice(0, 80))}, which is not an IPv4 address or CIDR range`,
      )
  return request
}

function isAddress(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  if (more.length > 0 || !isIPv4(address)) return false
  return bits === undefined || (/^\d{1,2}$/.test(bits) && Number(bits) <= 32)
}

export function readAllowlist(
  request: NonNullable<ProjectDetails['optionsAllowlist']>,
): NonNullable<ProjectDetails['optionsAllowlist']> {
  for (const { value } of request.paths)
    if (!value.startsWith('/'))
      throw invalidRequest('each `value` of `optionsAllowlist.paths` should start with `/`')
  return request
}

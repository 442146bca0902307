import {
  PROTECTED_TYPES,
  PROTECTION_MODES,
  type ProtectedType,
  type TrustedType,
  updateProject,
} from '#contract/api/project.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import type { Cli } from '../cli.ts'
import { defineCommand, flag, oneOf, optional, required, value, values } from '../command.ts'
import { usageError } from '../exit.ts'
import { plainText } from '../output/plain-text.ts'
import { withoutBypass } from './bypass/without-bypass.ts'
import { chooseProject } from './choose-project.ts'

const KINDS = ['password', 'sign-in', 'addresses', 'options'] as const
type Kind = (typeof KINDS)[number]

/** Words for what is covered, beside those of the API. */
const HOSTS = {
  all: 'all',
  previews: 'preview',
  'all-but-domains': 'prod_deployment_urls_and_all_previews',
  production: 'production',
} as const satisfies Record<string, TrustedType>

type Hosts = (typeof HOSTS)[keyof typeof HOSTS]
const readHosts = (text: string): Hosts => HOSTS[oneOf(Object.keys(HOSTS) as (keyof typeof HOSTS)[])(text)]

const asPaths = (paths: readonly string[]) => ({ paths: paths.map((path) => ({ value: path })) })

export const command = defineCommand({
  doing: 'protect the project',
  about:
    'Limits visitors to those who know a password (read from stdin or a hidden prompt), members of the account, or certain IP addresses. `options` lists paths whose OPTIONS requests are let through. Takes effect immediately, for every deployment.',
  arguments: {
    kind: required(KINDS.join(', '), oneOf(KINDS)),
    project: optional('project id or name; defaults to the linked project'),
  },
  options: {
    for: value(
      'hosts',
      `${Object.keys(HOSTS).join(', ')} (the last only for addresses); defaults to all-but-domains`,
      readHosts,
    ),
    address: values('address', 'trusted IP address or range; can be repeated', (text: string) => text),
    mode: value(
      'mode',
      `${PROTECTION_MODES.join(' or ')}: whether other protection still applies`,
      oneOf(PROTECTION_MODES),
    ),
    path: values('path', 'path for options; can be repeated', (text: string) => text),
    off: flag('disable this protection'),
  },
  examples: [
    ['projects protect password shop --for previews', 'prompt for the password that visitors need'],
    ['projects protect sign-in --for all', 'only for signed-in members'],
    [
      'projects protect addresses shop --for production --address 192.0.2.0/24',
      'only from these IP addresses',
    ],
    ['projects protect password shop --off --yes', 'remove the password'],
  ],
  hints: { not_found: 'List your projects with `aloft projects ls`.' },
  async run(cli, given) {
    const { api, idOrName } = await chooseProject(cli, given.project)
    const shown = plainText(idOrName)
    if (given.off) await cli.prompt.confirm(`Stop protecting ${shown} by ${given.kind}?`)
    const body = given.off ? ending(given.kind) : await beginning(cli, given)
    const changed = await api.call(updateProject, { params: { idOrName }, body })
    cli.out.show(withoutBypass(changed), () =>
      given.off
        ? `${plainText(changed.name)} is no longer protected by ${given.kind}.`
        : `${plainText(changed.name)} is protected by ${given.kind}.`,
    )
  },
})

type Body = NonNullable<BodyOf<typeof updateProject.body>>

function ending(kind: Kind): Body {
  switch (kind) {
    case 'password':
      return { passwordProtection: null }
    case 'sign-in':
      return { ssoProtection: null }
    case 'addresses':
      return { trustedIps: null }
    case 'options':
      return { optionsAllowlist: null }
  }
}

async function beginning(
  cli: Cli,
  given: {
    readonly kind: Kind
    readonly for: Hosts | undefined
    readonly address: readonly string[]
    readonly mode: (typeof PROTECTION_MODES)[number] | undefined
    readonly path: readonly string[]
  },
): Promise<Body> {
  const { kind, for: hosts = HOSTS['all-but-domains'], address, mode = 'additional', path } = given
  switch (kind) {
    case 'password': {
      const deploymentType = protectedType(hosts)
      const password = await cli.prompt.secret(
        'Password for visitors:',
        'aloft projects protect password < file',
      )
      return { passwordProtection: { deploymentType, password } }
    }
    case 'sign-in':
      return { ssoProtection: { deploymentType: protectedType(hosts) } }
    case 'addresses': {
      if (address.length === 0) throw usageError('--address is missing.')
      const addresses = address.map((one) => ({ value: one }))
      return { trustedIps: { deploymentType: hosts, addresses, protectionMode: mode } }
    }
    case 'options':
      if (path.length === 0) throw usageError('--path is missing.')
      return { optionsAllowlist: asPaths(path) }
  }
}

function protectedType(hosts: Hosts): ProtectedType {
  const found = PROTECTED_TYPES.find((type) => type === hosts)
  if (found === undefined) throw usageError('--for production can only be used with addresses.')
  return found
}

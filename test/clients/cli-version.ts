/** A command line, first called `now` and later `vercel`; its versions are counted through. */
export interface CliVersion {
  readonly command: 'now' | 'vercel'
  readonly major: number
}

/** What a version has and how it wants it, as its own help says. */
interface Traits {
  /** Accepts what it proposes. The first ones propose nothing. */
  readonly yes: readonly string[]
  readonly scope: boolean
  /** The earlier ones take no address without TLS. */
  readonly tls: boolean
  readonly login: boolean
  readonly link: boolean
  readonly namesProject: boolean
  readonly prebuilt: boolean
  readonly projects: boolean
  readonly env: boolean
  /** Knows environments of a project's own. */
  readonly environments: boolean
  /** `env add plain NAME …`: one version wants the kind first. */
  readonly envKind: boolean
  /** Keeps what a variable holds as a secret. */
  readonly envInSecrets: boolean
  readonly pull: boolean
  /** Builds on the machine that it runs on, as a pipeline does. */
  readonly build: boolean
  /** The Node.js that it builds for, where it does not know the one that new projects have. */
  readonly buildsFor?: string
  readonly secrets: boolean
  readonly followsLogs: boolean
  /** `logs --deployment …`: asks for entries by a query instead of following them. */
  readonly queriesLogs: boolean
  readonly rollback: boolean
  readonly promote: boolean
  /** Deploys again, or names the environment for it. */
  readonly redeploy: 'none' | 'plain' | 'target'
  readonly asksBeforeRecord: boolean
  readonly domainsOfProject: boolean
  /** The first ones take no name below a domain for one. */
  readonly addsSubdomains: boolean
}

export const traitsOf = ({ command, major }: CliVersion): Traits => ({
  yes: major >= 28 ? ['--yes'] : major >= 17 ? ['--confirm'] : [],
  scope: major >= 44,
  tls: major < 28,
  login: major < 44,
  link: major >= 25,
  namesProject: major >= 28,
  prebuilt: major >= 25,
  projects: major >= 25,
  env: major >= 18,
  environments: major >= 44,
  envKind: command === 'now' && major === 21,
  envInSecrets: major <= 20,
  pull: major >= 25,
  build: major >= 28,
  ...(major < 44 && { buildsFor: major < 33 ? '18.x' : '20.x' }),
  secrets: major <= 28,
  followsLogs: major >= 33,
  queriesLogs: major >= 64,
  rollback: major >= 28,
  promote: major >= 29,
  redeploy: major >= 44 ? 'target' : major >= 29 ? 'plain' : 'none',
  asksBeforeRecord: major < 44,
  domainsOfProject: major >= 44,
  addsSubdomains: major >= 20,
})

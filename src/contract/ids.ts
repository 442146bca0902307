import { randomInt, randomUUID } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE36 = BASE62.slice(0, 10) + BASE62.slice(36)
const HEX = '0123456789abcdef'

const random = (alphabet: string, length: number): string => {
  let text = ''
  for (let i = 0; i < length; i++) text += alphabet[randomInt(alphabet.length)]
  return text
}

/** With a letter and a digit, by which the address of a deployment is told from one that somebody has chosen. */
function newDeploymentHash(): string {
  for (;;) {
    const hash = random(BASE36, 9)
    if (/\d/.test(hash) && /[a-z]/.test(hash)) return hash
  }
}

/** The form of every identifier that clients see. */
export const newId = {
  application: () => `oac_${random(BASE62, 24)}`,
  client: () => `cl_${random(BASE62, 24)}`,
  alias: () => random(BASE62, 24),
  certificate: () => `cert_${random(BASE62, 24)}`,
  build: () => `bld_${random(BASE36, 9)}`,
  deployment: () => `dpl_${random(BASE62, 28)}`,
  cron: () => `cron_${random(BASE62, 20)}`,
  cronRun: () => `crun_${random(BASE62, 20)}`,
  dnsRecord: () => `rec_${random(BASE62, 24)}`,
  delivery: () => randomUUID(),
  domain: () => random(BASE62, 24),
  deploymentHash: newDeploymentHash,
  customEnvironment: () => `env_${random(BASE62, 24)}`,
  envVariable: () => random(BASE62, 16),
  drain: () => `ld_${random(BASE62, 16)}`,
  installation: () => `icfg_${random(BASE62, 24)}`,
  instance: () => random(BASE36, 24),
  job: () => `job_${random(BASE62, 24)}`,
  event: () => randomUUID(),
  audit: () => `aud_${random(BASE62, 24)}`,
  log: () => `log_${random(BASE62, 24)}`,
  push: () => `push_${random(BASE62, 24)}`,
  gitApp: () => `gap_${random(BASE62, 24)}`,
  gitConnection: () => `gcn_${random(BASE62, 24)}`,
  deployHook: () => random(BASE62, 20),
  project: () => `prj_${random(BASE62, 28)}`,
  request: () => `req_${random(BASE62, 20)}`,
  secret: () => `sec_${random(BASE62, 24)}`,
  session: () => random(BASE62, 24),
  sshKey: () => `key_${random(BASE62, 20)}`,
  team: () => `team_${random(BASE62, 24)}`,
  tokenId: () => random(HEX, 64),
  webhook: () => `account_hook_${random(BASE62, 16)}`,
  user: () => random(BASE62, 24),
} as const

/** A bearer value: an API token or a link's token. Only its hash is stored. */
export const newBearer = (): string => random(BASE62, 24)

/** Lets programs into protected sites. */
export const newBypassSecret = (): string => random(BASE62, 32)

export const newSuffix = (): string => random(HEX, 4)

/** What a TXT record has to hold for a domain to be verified. */
export const newDomainToken = (): string => random(HEX, 40)

/** The account again when that is a team; null for a person's. */
export const teamIdOf = (accountId: string): string | null =>
  accountId.startsWith('team_') ? accountId : null

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { readConfig, unknownVariables } from '#src/config/config.ts'
import { SETTINGS } from '#src/config/settings.ts'

const require = createRequire(import.meta.url)
/** What a dependency of ours reads YAML with. */
const { load } = createRequire(require.resolve('@vercel/frameworks'))('js-yaml') as {
  load(text: string): unknown
}

interface Service {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly deploy?: { readonly endpoint_mode?: string }
}

const VARIABLES: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'one',
  REDIS_PASSWORD: 'two',
  S3_PASSWORD: 'three',
  ALOFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  ALOFT_DOMAIN: 'apps.example.com',
  ALOFT_BASE_URL: 'https://api.apps.example.com',
  ALOFT_BOOTSTRAP_EMAIL: 'you@example.com',
  ALOFT_BOOTSTRAP_TOKEN: 'a-token-of-the-operator',
}

/** As Docker reads it: with variables filled in. */
function services(file: string): Readonly<Record<string, Service>> {
  const text = readFileSync(resolve(import.meta.dirname, '../deploy', file), 'utf8')
  const filled = text.replace(/\$\{(\w+)(:-([^}]*)|:\?)?\}/g, (_, name: string, rule = '', fallback = '') => {
    const value = VARIABLES[name] ?? (rule.startsWith(':-') ? fallback : undefined)
    assert.ok(value !== undefined, `${file} wants ${name}, which nothing says`)
    return value
  })
  return (load(filled) as { services: Record<string, Service> }).services
}

/** What a machine would make of its environment. */
function configOf({ environment = {} }: Service) {
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => /^(ALOFT|AWS)_/.test(name)))
  const known: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ variable }) => variable))
  assert.deepEqual(
    Object.keys(own).filter((name) => !known.has(name)),
    [],
  )
  assert.deepEqual(unknownVariables(own), [])
  return readConfig(own)
}

test('compose.yaml starts three machines that share their stores and find each other', () => {
  const all = services('compose.yaml')
  const machines = Object.entries(all).filter(([name]) => name.startsWith('machine-'))
  assert.equal(machines.length, 3)
  const configs = machines.map(([name, service]) => {
    const config = configOf(service)
    assert.equal(config.clusterAddress, `${name}:3500`)
    return config
  })
  for (const shared of ['databaseUrl', 'redisUrl', 'masterKey'] as const)
    assert.equal(new Set(configs.map((config) => config[shared]?.reveal())).size, 1, shared)
  assert.equal(new Set(machines.flatMap(([, { volumes = [] }]) => volumes)).size, 3)
  for (const name of ['postgres', 'redis', 's3']) assert.match(all[name]?.image ?? '', /:[\w.-]+$/, name)
  assert.equal(new URL(configs[0]?.databaseUrl?.reveal() ?? '').hostname, 'postgres')
})

test('stack.yaml gives every machine settings that it understands', () => {
  const { machine, ...stores } = services('stack.yaml')
  assert.ok(machine)
  const config = configOf(machine)
  assert.equal(new URL(config.redisUrl?.reveal() ?? '').hostname, 'redis')
  for (const { image } of Object.values(stores)) assert.match(image, /:[\w.-]+$/)
})

test('stack.yaml asks for no virtual IP address, which takes IPVS', () => {
  for (const [name, { deploy }] of Object.entries(services('stack.yaml')))
    assert.equal(deploy?.endpoint_mode, 'dnsrr', name)
})

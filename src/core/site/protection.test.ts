import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TRUSTED_TYPES } from '#contract/api/project.ts'
import { DEFAULT_DETAILS, type ProjectDetails } from '../project/project-details.ts'
import { type HostFace, protectionOf } from './protection.ts'

const FACES: readonly HostFace[] = ['production-name', 'production-url', 'preview']

/** By deploymentType: a production name, the url of a production deployment, a preview. */
const COVERAGE = {
  all: [true, true, true],
  preview: [false, false, true],
  prod_deployment_urls_and_all_previews: [false, true, true],
  production: [true, true, false],
} as const

const guarded = (given: Partial<ProjectDetails>): ProjectDetails => ({ ...DEFAULT_DETAILS, ...given })

for (const deploymentType of TRUSTED_TYPES)
  test(`\`${deploymentType}\` covers the hosts that it names`, () => {
    const trustedIps = {
      deploymentType,
      addresses: [{ value: '10.0.0.0/8', note: 'office' }],
      protectionMode: 'exclusive' as const,
    }
    const covered = FACES.map((face) => protectionOf(guarded({ trustedIps }), face)?.trustedIps)
    const shown = { addresses: ['10.0.0.0/8'], mode: 'exclusive' }
    assert.deepEqual(
      covered,
      COVERAGE[deploymentType].map((isCovered) => (isCovered ? shown : undefined)),
    )
    if (deploymentType === 'production') return
    const passwordProtection = { deploymentType, password: 'sealed', version: 'v1' }
    const both = guarded({ ssoProtection: { deploymentType }, passwordProtection })
    for (const [index, face] of FACES.entries()) {
      const protection = protectionOf(both, face)
      assert.equal(protection?.sso ?? false, COVERAGE[deploymentType][index])
      assert.equal(protection?.password?.sealed, COVERAGE[deploymentType][index] ? 'sealed' : undefined)
    }
  })

test('parts that do not cover a host are left out, and what only opens protects nothing', () => {
  const protectionBypass = [{ secret: 'sealed', hash: 'hash', createdAt: 1, createdBy: 'user' }]
  const opening = guarded({ optionsAllowlist: { paths: [{ value: '/api' }] }, protectionBypass })
  for (const face of FACES) assert.equal(protectionOf(opening, face), undefined)
  const mixed = {
    ...opening,
    ssoProtection: { deploymentType: 'preview' as const },
    passwordProtection: { deploymentType: 'all' as const, password: 'sealed', version: 'v1' },
  }
  const rest = {
    optionsPaths: ['/api'],
    bypassHashes: ['hash'],
    password: { sealed: 'sealed', version: 'v1' },
  }
  assert.deepEqual(protectionOf(mixed, 'production-name'), { ...rest, sso: false })
  assert.deepEqual(protectionOf(mixed, 'preview'), { ...rest, sso: true })
})

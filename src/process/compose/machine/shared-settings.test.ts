import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '../../../config/config.ts'
import { sharedSettings } from './shared-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'aloft-shared-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const STORES = {
  ...{ ALOFT_DATA_DIR: folder, ALOFT_DOMAIN: 'sites.example', ALOFT_REDIS_URL: 'redis://10.0.0.1' },
  ...{ ALOFT_DATABASE_URL: 'postgres://u:p@10.0.0.1/aloft', ALOFT_BLOB_URL: 's3://bucket' },
  ...{ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
}

test('what machines share goes along with the master key, and starts a configuration that is the same', () => {
  writeFileSync(join(folder, 'master.key'), `${'k'.repeat(43)}=\n`)
  const given = sharedSettings(
    readConfig({ ...STORES, ALOFT_PORT: '3111', ALOFT_DNS_NETWORKS: '10.1.0.0/16=bru1, ::/0=hnd1' }),
  )
  assert.ok(typeof given === 'object')
  assert.equal(given.ALOFT_DATABASE_URL, 'postgres://u:p@10.0.0.1/aloft')
  assert.equal(given.ALOFT_MASTER_KEY, `${'k'.repeat(43)}=`)
  assert.equal(given.ALOFT_PORT, undefined, 'each machine has its own')
  const joined = readConfig({}, given)
  assert.equal(joined.domain, 'sites.example')
  assert.deepEqual(joined.dnsNetworks, [
    { address: '10.1.0.0', prefix: 16, origin: 'bru1' },
    { address: '::', prefix: 0, origin: 'hnd1' },
  ])
  assert.equal(joined.awsSecretKey?.reveal(), 'secret')
})

test('a machine alone, and stores that others cannot reach, are told apart', () => {
  assert.match(String(sharedSettings(readConfig({ ALOFT_DATA_DIR: folder }))), /ALOFT_DATABASE_URL/)
  for (const url of [
    'postgres://localhost/aloft',
    'postgres://10.0.0.1,localhost:5433/aloft',
    'postgres://x/aloft?host=/run/postgresql',
  ])
    assert.match(
      String(sharedSettings(readConfig({ ...STORES, ALOFT_DATABASE_URL: url }))),
      /points to this machine itself/,
      url,
    )
})

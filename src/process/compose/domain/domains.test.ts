import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Machine } from '#core/machine/machine.ts'
import { allowedAuthority, domainPointing } from './domains.ts'

const config = {
  ...{ domain: 'aloft.test', publicAddresses: ['10.0.0.1'], acmeDirectory: undefined },
  nameservers: ['ns1.aloft.test'],
}

const machine = (name: string, publicAddresses: readonly string[], isDraining = false): Machine => ({
  ...{ name, publicAddresses, isDraining, role: 'serve', version: '1', origin: 'iad1', address: undefined },
  ...{ load: 0, memory: { free: 1, total: 1 }, disk: { free: 1, total: 1 }, startedAt: 0, heardAgo: 0 },
})

test('domains may lead to every machine that serves, whichever looks', () => {
  let alive: readonly Machine[] = []
  const pointing = domainPointing(config, { alive: () => alive })
  assert.deepEqual(pointing.addresses, ['10.0.0.1'], 'alone, it knows of itself')
  alive = [machine('b', ['192.0.2.2', '192.0.2.1']), machine('c', ['192.0.2.3'], true), machine('w', [])]
  assert.deepEqual(pointing.addresses, ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
  assert.deepEqual({ ...pointing }.addresses, pointing.addresses)
})

test('domains with our nameservers allow the authority that certifies them, or any where it has no name that is known', () => {
  const rows: [string | undefined, string | null][] = [
    [undefined, 'letsencrypt.org'],
    ['https://acme-v02.api.letsencrypt.org/directory', 'letsencrypt.org'],
    ['https://acme.zerossl.com/v2/DV90', null],
    ['https://notletsencrypt.org/directory', null],
  ]
  for (const [acmeDirectory, authority] of rows)
    assert.equal(allowedAuthority({ acmeDirectory }), authority, acmeDirectory)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOriginOf } from './hosts.ts'

const originOf = (origins: readonly string[] | undefined, host: string) =>
  createOriginOf('aloft.test', 'iad1', { origins: () => origins && new Set(origins) })(host)

test('in one place, the name of an origin is believed, and any other means here', () => {
  for (const origins of [[], ['iad1']]) {
    assert.equal(originOf(origins, 'API-hnd1.aloft.test:3000'), 'hnd1')
    assert.equal(originOf(origins, 'api.aloft.test'), 'iad1')
  }
})

test('in several, a machine is where it is, also while those of another region are lost', () => {
  assert.equal(originOf(['iad1', 'hnd1'], 'api-hnd1.aloft.test'), 'iad1')
  assert.equal(originOf(undefined, 'api-hnd1.aloft.test'), 'iad1', 'as long as it is not known')
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startDnsServer } from '#test/support/dns/dns-server.ts'
import { readDelegation } from './delegation.ts'

const NAME = 'example.com'
/** Nothing is sent to it by a socket that did not ask for that. */
const BROADCAST = '255.255.255.255'

async function above(t: TestContext) {
  const server = await startDnsServer(() => ({
    answers: [],
    authorities: [{ name: NAME, type: 'NS', ttl: 1, data: 'ns1.aloft.test' }],
  }))
  t.after(() => server.close())
  return { port: Number(server.address.split(':')[1]), timeoutMs: 5000 }
}

test('asks the next server where the first cannot be sent anything', async (t) => {
  const found = await readDelegation(NAME, [BROADCAST, '127.0.0.1'], await above(t))
  assert.deepEqual(found, ['ns1.aloft.test'])
})

test('knows nothing where no server can be sent anything', async (t) => {
  assert.equal(await readDelegation(NAME, [BROADCAST], await above(t)), undefined)
})

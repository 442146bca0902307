import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Machine } from '#core/machine/machine.ts'
import { createDnsClient } from '#test/support/dns/dns-client.ts'
import { freePort } from '#test/support/free-port.ts'
import { startServer } from '#test/support/server.ts'
import { servedAt, startDns } from './dns.ts'

const machine = (name: string, more: Partial<Machine> = {}): Machine => ({
  ...{ name, heardAgo: 0, origin: 'iad1', role: 'serve', version: '1', address: undefined, load: 0 },
  ...{ memory: { free: 1, total: 1 }, disk: { free: 1, total: 1 }, startedAt: 0, isDraining: false },
  publicAddresses: [`192.0.2.${name}`],
  ...more,
})

const addresses = (...alive: Machine[]) =>
  servedAt({ alive: () => alive }, ['192.0.2.9']).map(({ address }) => address)

test('visitors are led to machines that serve, and to those to be left alone only where there are no others', () => {
  const [one, two] = [machine('1'), machine('2')]
  const works = machine('3', { role: 'work', publicAddresses: [] })
  assert.deepEqual(addresses(two, works, one), ['192.0.2.1', '192.0.2.2'])
  const [left, other] = [
    { ...one, isDraining: true },
    { ...two, isDraining: true },
  ]
  assert.deepEqual(addresses(left, two), ['192.0.2.2'])
  assert.deepEqual(addresses(left, other), ['192.0.2.1', '192.0.2.2'])
  assert.deepEqual(addresses(works), ['192.0.2.9'], 'a machine that has heard of none knows of itself')
})

/** The DNS of a machine that is told who is there. */
async function answering(t: TestContext) {
  const server = await startServer()
  t.after(() => server.close())
  let there = [machine('1'), machine('2', { origin: 'hnd1' })]
  let look = () => {}
  const machines = {
    ...server.parts.machines,
    alive: () => there,
    onLook(listener: () => void) {
      look = listener
      return () => {}
    },
  }
  const port = await freePort()
  const config = {
    ...{ domain: 'cluster.test', nameservers: ['ns1.cluster.test'], publicAddresses: ['192.0.2.1'] },
    ...{ host: '127.0.0.1', dnsPort: port, dnsNetworks: [] },
  }
  const dns = await startDns(config, { ...server.parts, machines }, { reusePort: false })
  const client = await createDnsClient(port)
  t.after(async () => {
    await client.close()
    await dns?.drain(0)
  })
  return {
    async of(name: string) {
      const { packet } = await client.ask({ name, type: 'A' })
      return (packet.answers ?? []).map((answer) => ('data' in answer ? String(answer.data) : '')).toSorted()
    },
    now(...machines: Machine[]) {
      there = machines
      look()
    },
  }
}

test('a machine that is lost is answered no more as soon as that is noticed, and again when it is back', async (t) => {
  const { of, now } = await answering(t)
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(await of('shop.cluster.test'), ['192.0.2.1', '192.0.2.2'])
    assert.deepEqual(await of('api-hnd1.cluster.test'), ['192.0.2.2'])
    now(machine('1'))
    assert.deepEqual(await of('shop.cluster.test'), ['192.0.2.1'])
    now(machine('1'), machine('2', { origin: 'hnd1' }))
  }
})

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Registrar, RegistrarFailure, type RegistrarRefusal } from '#core/ports/registrar.ts'
import { systemClock } from '#core/ports/system-clock.ts'
import { clockOf } from '#test/support/clock.ts'
import { type FakeNamecom, startNamecom } from '#test/support/namecom.ts'
import { createNamecomRegistrar } from './namecom-registrar.ts'

const nameservers = ['ns1.aloft.test', 'ns2.aloft.test']
const order = { key: 'a-key', name: 'example.com', price: 13, nameservers }
const EXPIRES = Date.parse('2030-01-02T03:04:05Z')

describe('name.com', () => {
  let service: FakeNamecom
  let registrar: Registrar
  before(async () => {
    service = await startNamecom()
    registrar = createNamecomRegistrar({ ...service, nameservers, clock: clockOf(() => 1000) })
  })
  after(() => service.close())
  beforeEach(() => {
    for (const kept of [service.taken, service.held, service.transfers, service.payments]) kept.clear()
    service.requests.length = 0
    service.failures.length = 0
  })

  const refuses = (work: Promise<unknown>, reason: RegistrarRefusal, price?: number) =>
    assert.rejects(work, (error) => {
      assert.ok(error instanceof RegistrarFailure)
      assert.deepEqual([error.reason, error.price], [reason, price])
      return true
    })

  it('tells what is free, and what a year costs in whole dollars, never too little', async () => {
    service.taken.add('taken.com')
    assert.equal(await registrar.isAvailable('example.com'), true)
    assert.equal(await registrar.isAvailable('taken.com'), false)
    assert.equal(await registrar.price('example.com', 'new'), 13)
    assert.equal(await registrar.price('example.com', 'renewal'), 18)
    assert.equal(await registrar.price('example.com', 'transfer'), 13)
    assert.equal(await registrar.price('example.museum', 'new'), undefined)
    assert.equal(await registrar.price('a.rich', 'transfer'), undefined)
  })

  it('buys a name with its nameservers, once for a key', async () => {
    assert.deepEqual(await registrar.buy(order), { expiresAt: EXPIRES })
    assert.deepEqual(await registrar.buy(order), { expiresAt: EXPIRES })
    assert.deepEqual([...service.payments], [['a-key', 'example.com']])
    assert.deepEqual(service.held.get('example.com')?.nameservers, nameservers)
    await refuses(registrar.buy({ ...order, key: 'another' }), 'not_available')
    assert.deepEqual(await registrar.bought(order), { expiresAt: EXPIRES })
    assert.equal(await registrar.bought({ key: 'a-key', name: 'other.com' }), undefined)
  })

  it('says the exact price of a name that has one of its own', async () => {
    await registrar.buy({ ...order, name: 'a.rich', price: 500 })
    assert.equal(service.payments.size, 1)
  })

  it('pays nothing when the price is another, or names like it are not sold', async () => {
    await refuses(registrar.buy({ ...order, price: 12 }), 'price_mismatch', 13)
    await refuses(registrar.buy({ ...order, name: 'example.museum' }), 'unsupported')
    assert.equal(service.payments.size, 0)
  })

  it('asks again where nothing can come of it, and not where money is paid', async () => {
    service.failures.push(503, 500)
    assert.equal(await registrar.isAvailable('example.com'), true)
    service.failures.push(502, 502, 502)
    await refuses(registrar.price('example.com', 'new'), 'unavailable')
    service.requests.length = 0
    service.failures.push('none', 'cut')
    await refuses(registrar.buy(order), 'unavailable')
    assert.deepEqual(service.requests, [
      'GET /core/v1/domains/example.com:getPricing',
      'POST /core/v1/domains',
    ])
    assert.deepEqual(await registrar.bought(order), { expiresAt: EXPIRES }, 'it was paid all the same')
  })

  it('is unavailable when it is not let in, is not there, or talks nonsense', async () => {
    const other = (given: object) =>
      createNamecomRegistrar({ ...service, nameservers, clock: systemClock, ...given }).isAvailable(
        'example.com',
      )
    await refuses(other({ token: 'wrong' }), 'unavailable')
    await refuses(other({ url: 'http://127.0.0.1:1' }), 'unavailable')
    service.failures.push(200, 200, 200)
    await refuses(registrar.isAvailable('example.com'), 'unavailable')
  })

  it('moves a name here, and has it answered from here once it is moved', async () => {
    const move = { ...order, authCode: 'right!' }
    await refuses(registrar.startTransfer(move), 'not_transferable')
    assert.equal((await registrar.transferState('example.com')).transferable, false)
    service.taken.add('example.com')
    assert.deepEqual(await registrar.transferState('example.com'), {
      status: undefined,
      transferable: true,
      reason: '',
      expiresAt: undefined,
    })
    await refuses(registrar.startTransfer({ ...move, price: 12 }), 'price_mismatch', 13)
    await refuses(registrar.startTransfer({ ...move, authCode: 'wrong!' }), 'invalid_auth_code')
    await registrar.startTransfer(move)
    const states = [
      ['pending', 'pending_admin'],
      ['pending_unlock', 'pending_owner'],
      ['pending_transfer', 'pending_registry'],
      ['canceled_pending_refund', 'cancelled'],
    ] as const
    for (const [theirs, ours] of states) {
      service.transfers.set('example.com', theirs)
      assert.equal((await registrar.transferState('example.com')).status, ours)
    }
    service.transfers.set('example.com', 'completed')
    service.held.set('example.com', { nameservers: ['ns.old.test'], expireDate: '2030-01-02T03:04:05Z' })
    const done = await registrar.transferState('example.com')
    assert.deepEqual([done.status, done.expiresAt], ['completed', EXPIRES])
    assert.deepEqual(service.held.get('example.com')?.nameservers, ['ns.old.test'], 'to ask changes nothing')
    await registrar.delegate('example.com')
    assert.deepEqual(service.held.get('example.com')?.nameservers, nameservers)
  })
})

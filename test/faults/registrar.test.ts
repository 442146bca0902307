import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createSandboxRegistrar } from '#adapters/registrar-sandbox/sandbox-registrar.ts'
import { createRegistry } from '#adapters/sql/domain/registry-store.ts'
import type { Stores } from '#adapters/sql/stores.ts'
import { AloftError } from '#contract/errors.ts'
import { MINUTE } from '#contract/time.ts'
import { type Context, personalOwner } from '#core/access/context.ts'
import { isVerified } from '#core/domain/domain.ts'
import { type Registrar, RegistrarFailure } from '#core/ports/registrar.ts'
import type { Transact } from '#core/ports/transact.ts'
import { createRegistrations } from '#core/registrar/registrations.ts'
import { createSettleJob, createTransfersJob } from '#core/registrar/settle-job.ts'
import { usualDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleToken, sampleUser } from '#test/support/samples.ts'
import { silentLog } from '#test/support/silent-log.ts'

const name = 'example.com'
const request = { name, expectedPrice: 12 }
const rules = { priceRequired: true }

function caller(): Context {
  const user = sampleUser({ plan: 'pro' })
  const token = sampleToken({ userId: user.id })
  return { actor: { user, token }, owner: personalOwner(user), origin: 'iad1', log: silentLog }
}

/** Everything that is bought, on a database of its own, with faults to be set. */
async function openFaulty(t: TestContext) {
  const { stores, transact, database, clock } = await openStores(t, usualDatabase)
  const faults = { afterPaying: false, whileAdding: false }
  const payments: string[] = []
  const sandbox = createSandboxRegistrar({
    registry: createRegistry(database.db),
    clock,
    prices: new Map([['com', 12]]),
    transferMinutes: 1,
  })
  const paid = async <T>(key: string, work: Promise<T>): Promise<T> => {
    const done = await work
    payments.push(key)
    if (faults.afterPaying) throw new RegistrarFailure('unavailable', 'the answer was lost')
    return done
  }
  const registrar: Registrar = {
    ...sandbox,
    buy: (order) => paid(order.key, sandbox.buy(order)),
    startTransfer: (order) => paid(order.key, sandbox.startTransfer(order)),
  }
  const faulty: Transact<Stores> = (work) =>
    transact((inside) => {
      if (faults.whileAdding) throw new Error('the database is full')
      return work(inside)
    })
  const parts = {
    registrar,
    orders: stores.orders,
    domains: stores.domains,
    transact: faulty,
    clock,
    nameservers: ['ns1.aloft.test', 'ns2.aloft.test'],
    domain: 'aloft.test',
    quotas: { check: async () => {} },
    onZonesChanged: () => {},
  }
  const run = { id: 'job', attempt: 1, signal: new AbortController().signal, log: silentLog }
  return {
    stores,
    faults,
    payments,
    registrations: createRegistrations(parts),
    async comeRound(later = 20 * MINUTE) {
      clock.advance(later)
      await createSettleJob(parts).run({}, run)
      await createTransfersJob(parts).run({}, run)
    },
  }
}

const failsWith = (work: Promise<unknown>, kind: string) =>
  assert.rejects(work, (error) => error instanceof AloftError && error.kind === kind)

describe('buying while things break', () => {
  it('is finished by the job when the answer to the payment was lost', async (t) => {
    const { stores, faults, payments, registrations, comeRound } = await openFaulty(t)
    const ctx = caller()
    faults.afterPaying = true
    await failsWith(registrations.buy(ctx, request, rules), 'service_unavailable')
    assert.equal(await stores.domains.find(ctx.owner.id, name), undefined)
    await failsWith(registrations.buy(caller(), request, rules), 'not_available')
    await comeRound(MINUTE)
    assert.equal((await stores.orders.find(name))?.state, 'pending', 'somebody may still be at it')
    await comeRound()
    const domain = await stores.domains.find(ctx.owner.id, name)
    assert.ok(domain && isVerified(domain))
    assert.equal(new Set(payments).size, 1)
  })

  it('is finished by asking again, under the same key', async (t) => {
    const { stores, faults, payments, registrations } = await openFaulty(t)
    const ctx = caller()
    faults.afterPaying = true
    await failsWith(registrations.buy(ctx, request, rules), 'service_unavailable')
    faults.afterPaying = false
    await registrations.buy(ctx, request, rules)
    assert.ok(await stores.domains.find(ctx.owner.id, name))
    assert.deepEqual([payments.length, new Set(payments).size], [2, 1])
  })

  it('says so when the account cannot be given what was paid for, and gives it later', async (t) => {
    const { stores, faults, payments, registrations, comeRound } = await openFaulty(t)
    const [ctx, second] = [caller(), caller()]
    faults.whileAdding = true
    await failsWith(registrations.buy(ctx, request, rules), 'failed_to_add_domain')
    await comeRound()
    assert.equal((await stores.orders.find(name))?.state, 'paid')
    faults.whileAdding = false
    await comeRound()
    assert.equal((await stores.orders.find(name))?.state, 'done')
    assert.ok(await stores.domains.find(ctx.owner.id, name))
    await failsWith(registrations.buy(second, request, rules), 'not_available')
    assert.equal(payments.length, 1)
  })

  it('goes on with a transfer whose beginning was lost, and gives up one that never began', async (t) => {
    const { stores, faults, registrations, comeRound } = await openFaulty(t)
    const ctx = caller()
    const move = { ...request, authCode: 'abcdef' }
    faults.afterPaying = true
    await failsWith(registrations.transferIn(ctx, move), 'service_unavailable')
    await comeRound()
    const domain = await stores.domains.find(ctx.owner.id, name)
    assert.ok(domain && isVerified(domain) && domain.transferStartedAt !== null)

    const never = { ...move, name: 'never.com' }
    faults.afterPaying = false
    await failsWith(registrations.transferIn(ctx, { ...never, authCode: 'abc' }), 'invalid_auth_code')
    assert.equal(await stores.orders.find('never.com'), undefined)
    faults.whileAdding = true
    await failsWith(registrations.transferIn(ctx, never), 'failed_to_add_domain')
    faults.whileAdding = false
    await registrations.transferIn(ctx, never)
    assert.equal((await stores.orders.find('never.com'))?.state, 'moving')
  })
})

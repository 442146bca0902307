import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAlive, type MachineReport, SILENT_MS } from '#core/machine/machine.ts'
import { eachDatabase } from '../support/database/databases.ts'
import { openStores } from '../support/database/stores.ts'

const report = (rest: Partial<MachineReport> = {}): MachineReport => ({
  ...{ name: 'one', role: 'work', version: '1', origin: 'iad1', address: '10.0.0.1:3500', load: 0.5 },
  ...{
    memory: { free: 1, total: 2 },
    disk: { free: 3, total: 4 },
    startedAt: 5,
    publicAddresses: ['192.0.2.1'],
  },
  ...rest,
})

eachDatabase((name, open) => {
  test(`${name}: a machine is listed as it said last, and is silent when it says no more`, async (t) => {
    const { stores, database } = await openStores(t, open)
    await stores.machines.report(report())
    await stores.machines.report(report({ load: 0.75, address: undefined }))
    await stores.machines.report(report({ role: 'serve', name: 'another' }))
    const [serving, working, ...more] = await stores.machines.list()
    assert.ok(serving && working)
    assert.deepEqual(more, [])
    const { heardAgo, isDraining, ...said } = working
    assert.deepEqual(said, report({ load: 0.75, address: undefined }))
    assert.equal(isDraining, false)
    assert.ok(heardAgo >= 0 && isAlive(working))
    await database.db
      .updateTable('machines')
      .set(({ eb, ref }) => ({ heard_at: eb(ref('heard_at'), '-', SILENT_MS) }))
      .where('name', '=', 'one')
      .execute()
    assert.deepEqual(
      (await stores.machines.list()).map((machine) => isAlive(machine)),
      [true, false],
    )
  })

  test(`${name}: what is to be left alone stays so when it is heard of again`, async (t) => {
    const { stores } = await openStores(t, open)
    await stores.machines.report(report())
    await stores.machines.report(report({ role: 'serve' }))
    assert.equal(await stores.machines.setDraining('one', true), true)
    await stores.machines.report(report())
    assert.deepEqual(
      (await stores.machines.list()).map(({ isDraining }) => isDraining),
      [true, true],
    )
    assert.equal(await stores.machines.setDraining('one', false), true)
    assert.equal((await stores.machines.list())[0]?.isDraining, false)
    assert.equal(await stores.machines.setDraining('nobody', true), false)
  })

  test(`${name}: a machine that was removed is listed no more, and does not come back`, async (t) => {
    const { stores } = await openStores(t, open)
    assert.equal(await stores.machines.report(report()), true)
    await stores.machines.report(report({ name: 'another' }))
    assert.equal(await stores.machines.remove('one'), true)
    assert.equal(await stores.machines.report(report()), false)
    assert.equal(await stores.machines.report(report({ role: 'serve' })), false)
    assert.deepEqual(
      (await stores.machines.list()).map(({ name }) => name),
      ['another'],
    )
    assert.deepEqual(await stores.machines.removed(), new Set(['one']))
    assert.equal(await stores.machines.remove('one'), false)
    assert.equal(await stores.machines.remove('nobody'), false)
  })
})

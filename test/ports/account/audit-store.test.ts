import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { audited } from '#core/audit/audit-trail.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleAuditEntry, sampleProject } from '#test/support/samples.ts'

const all = { limit: 100 }

eachDatabase((name, open) =>
  describe(`audit log on ${name}`, () => {
    it('keeps entries by account, newest first, and finds those of a person and a kind', async (t) => {
      const { audit } = (await openStores(t, open)).stores
      const [older, newer] = [
        sampleAuditEntry({ ownerId: 'a', at: 1, userId: 'anna', action: 'POST /v10/projects' }),
        sampleAuditEntry({ ownerId: 'a', at: 2, userId: 'ben', action: 'DELETE /v9/projects/:idOrName' }),
      ]
      for (const entry of [older, newer, sampleAuditEntry({ ownerId: 'b' })]) await audit.add(entry)
      const found = async (filter: { userId?: string; action?: string }, page = {}) =>
        (await audit.list('a', { ...all, ...page }, filter)).items
      assert.deepEqual(await found({}), [newer, older])
      assert.deepEqual(await found({ userId: 'anna' }), [older])
      assert.deepEqual(await found({ action: 'DELETE' }), [newer])
      assert.deepEqual(await found({ action: 'DELETE%' }), [])
      assert.deepEqual(await found({ userId: 'anna', action: 'DELETE' }), [])
      assert.deepEqual(await found({}, { until: 2 }), [older])
      assert.deepEqual(await found({}, { since: 1 }), [newer])
      assert.deepEqual((await audit.list('a', { limit: 1 }, {})).pagination, {
        count: 1,
        next: 2,
        prev: null,
      })
      assert.equal(await audit.prune(2, 10), 1)
      assert.deepEqual(await found({}), [newer])
    })

    it('is written with every change, also by a statement that was built for an earlier one', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const project = sampleProject({ ownerId: 'a' })
      await stores.projects.insert(project)
      for (const at of [1, 2, 3])
        await audited(sampleAuditEntry({ ownerId: 'a', at }), async () => {
          await transact(({ projects }) => projects.touch('a', project.id, project.updatedAt + at))
        })
      const { items } = await stores.audit.list('a', all, {})
      assert.deepEqual(
        items.map(({ at }) => at),
        [3, 2, 1],
      )
    })

    it('is written with the first change that is kept, once', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const entry = sampleAuditEntry({ ownerId: 'a' })
      const late: unknown[] = []
      const listed = async () => (await stores.audit.list('a', all, {})).items
      await audited(
        entry,
        async () => {
          const failing = transact(async ({ settings }) => {
            await settings.set('undone', '1')
            throw new Error('no')
          })
          await assert.rejects(failing)
          assert.deepEqual(await listed(), [])
          await transact(async ({ settings, audit }) => {
            await settings.set('done', '1')
            // Not before the end: what the work could still undo is not written yet.
            assert.deepEqual((await audit.list('a', all, {})).items, [])
          })
          assert.deepEqual(await listed(), [entry])
          await Promise.all([1, 2].map((i) => transact(({ settings }) => settings.set(`more ${i}`, '1'))))
        },
        async (left) => void late.push(left),
      )
      assert.deepEqual(await listed(), [entry])
      assert.deepEqual(late, [])
    })

    it('is undone with the change that it tells of', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const add = (): Promise<void> => assert.fail('nothing was changed')
      const failing = audited(
        sampleAuditEntry({ ownerId: 'a' }),
        () =>
          transact(async ({ settings }) => {
            await settings.set('undone', '1')
            throw new Error('no')
          }),
        add,
      )
      await assert.rejects(failing, /no/)
      assert.deepEqual((await stores.audit.list('a', all, {})).items, [])
      assert.equal(await stores.settings.get('undone'), undefined)
    })

    it('takes the change with it when it cannot be written', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const entry = sampleAuditEntry({ ownerId: 'a' })
      await stores.audit.add(entry)
      const work = () => transact(({ settings }) => settings.set('unaccounted', '1'))
      await assert.rejects(audited(entry, work, async () => {}))
      assert.equal(await stores.settings.get('unaccounted'), undefined)
    })

    it('is written afterwards where there was no transaction, and not for what goes on later', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const late: unknown[] = []
      const entry = sampleAuditEntry({ ownerId: 'a' })
      let background: Promise<void> | undefined
      await audited(
        entry,
        () => {
          background = new Promise(setImmediate).then(() =>
            transact(({ settings }) => settings.set('b', '1')),
          )
        },
        async (left) => void late.push(left),
      )
      await background
      assert.deepEqual(late, [entry])
      assert.deepEqual((await stores.audit.list('a', all, {})).items, [])
    })
  }),
)

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Secret } from '#core/secret/secret.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleSecret } from '#test/support/samples.ts'

async function openSecrets(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const { secrets } = opened.stores
  const add = async (given: Partial<Secret>) => {
    const secret = sampleSecret({ ownerId: 'anna', ...given })
    assert.equal(await secrets.insert(secret, `sealed ${secret.name}`), true)
    return secret
  }
  return { ...opened, secrets, add }
}

eachDatabase((name, open) =>
  describe(`secrets on ${name}`, () => {
    it('finds a secret by its name in its account, as it was stored', async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const secret = await add({ name: 'Key.of_it-1', creatorId: 'someone', createdAt: 5 })
      assert.deepEqual(await secrets.byName('anna', 'Key.of_it-1'), secret)
      assert.equal(await secrets.byName('anna', 'key.of_it-1'), undefined)
      assert.equal(await secrets.byName('bert', 'Key.of_it-1'), undefined)
    })

    it('refuses a name that the account has, and stores nothing', async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const first = await add({ name: 'key' })
      const second = sampleSecret({ ownerId: 'anna', name: 'key' })
      assert.equal(await secrets.insert(second, 'other'), false)
      assert.deepEqual(await secrets.byName('anna', 'key'), first)
      assert.deepEqual(
        await secrets.resolve('anna', ['key', second.id]),
        new Map([['key', { id: first.id, sealed: 'sealed key' }]]),
      )
      await add({ name: 'KEY' })
      await add({ name: 'key', ownerId: 'bert' })
    })

    it('keeps one of many that take a name at once', async (t) => {
      const { secrets, again } = await openSecrets(t, open)
      const { stores } = await again()
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? secrets : stores.secrets).insert(sampleSecret({ ownerId: 'anna', name: 'key' }), 'x'),
        ),
      )
      assert.equal(taken.filter(Boolean).length, 1)
    })

    it('gives another name, and frees the old one', async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const secret = await add({ name: 'old' })
      assert.equal(await secrets.rename('anna', secret.id, 'new'), true)
      assert.equal(await secrets.byName('anna', 'old'), undefined)
      assert.deepEqual(await secrets.byName('anna', 'new'), { ...secret, name: 'new' })
      assert.equal(await secrets.rename('anna', secret.id, 'new'), true, 'a secret may keep its name')
      await add({ name: 'old' })
    })

    it('changes nothing when the new name is taken, and the transaction goes on', async (t) => {
      const { secrets, add, stores, transact } = await openSecrets(t, open)
      const [first, second] = [await add({ name: 'first' }), await add({ name: 'second' })]
      assert.equal(await secrets.rename('anna', first.id, 'second'), false)
      await transact(async (inside) => {
        await inside.settings.set('before', '1')
        assert.equal(await inside.secrets.rename('anna', first.id, 'second'), false)
        assert.equal(await inside.secrets.rename('anna', first.id, 'third'), true)
        await inside.settings.set('after', '1')
      })
      assert.deepEqual(await secrets.byName('anna', 'third'), { ...first, name: 'third' })
      assert.deepEqual(await secrets.byName('anna', 'second'), second)
      assert.deepEqual([await stores.settings.get('before'), await stores.settings.get('after')], ['1', '1'])
    })

    it('leaves one holder of every name when renames race', async (t) => {
      const { secrets, add, transact, again } = await openSecrets(t, open)
      const { transact: elsewhere } = await again()
      const all = [await add({ name: 'a' }), await add({ name: 'b' }), await add({ name: 'c' })]
      const names = ['a', 'b', 'c', 'd']
      await Promise.all(
        Array.from({ length: 24 }, (_, i) =>
          (i % 2 ? transact : elsewhere)((inside) =>
            inside.secrets.rename('anna', (all[i % 3] as Secret).id, names[(i * 7) % 4] as string),
          ),
        ),
      )
      const { items } = await secrets.list('anna', { limit: 10 })
      assert.equal(items.length, 3)
      assert.equal(new Set(items.map((secret) => secret.name)).size, 3)
    })

    it('touches no secret of another account', async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const secret = await add({ name: 'key' })
      assert.equal(await secrets.lock('bert', { id: secret.id }), undefined)
      assert.equal(await secrets.lock('bert', { name: 'key' }), undefined)
      await secrets.rename('bert', secret.id, 'stolen')
      await secrets.delete('bert', secret.id)
      assert.deepEqual(await secrets.byName('anna', 'key'), secret)
    })

    it('locks by id and by name, and tells when there is nothing to lock', async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const secret = await add({ name: 'key' })
      assert.deepEqual(await secrets.lock('anna', { id: secret.id }), secret)
      assert.deepEqual(await secrets.lock('anna', { name: 'key' }), secret)
      assert.equal(await secrets.lock('anna', { id: 'key' }), undefined)
      assert.equal(await secrets.lock('anna', { name: secret.id }), undefined)
    })

    it('lets only the first of two that want the same secret find it by the name it had', async (t) => {
      const { add, transact, again } = await openSecrets(t, open)
      const { transact: elsewhere } = await again()
      await add({ name: 'wanted' })
      const take = (run: typeof transact, to: string) =>
        run(async ({ secrets }) => {
          const found = await secrets.lock('anna', { name: 'wanted' })
          await new Promise(setImmediate)
          return found !== undefined && (await secrets.rename('anna', found.id, to))
        })
      const taken = await Promise.all([take(transact, 'mine'), take(elsewhere, 'yours')])
      assert.deepEqual(taken.sort(), [false, true])
    })

    it('deletes a secret, and frees its name', async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const secret = await add({ name: 'key' })
      const other = await add({ name: 'other' })
      await secrets.delete('anna', secret.id)
      assert.equal(await secrets.byName('anna', 'key'), undefined)
      assert.deepEqual(await secrets.byName('anna', 'other'), other)
      await add({ name: 'key' })
    })

    it("lists an account's secrets, newest first, page by page", async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const oldest = await add({ createdAt: 1 })
      const newest = await add({ createdAt: 3 })
      const middle = await add({ createdAt: 2 })
      await add({ createdAt: 4, ownerId: 'bert' })
      const page = await secrets.list('anna', { limit: 2 })
      assert.deepEqual(page.items, [newest, middle])
      assert.deepEqual(page.pagination, { count: 2, next: 2, prev: null })
      const last = await secrets.list('anna', { limit: 2, until: 2 })
      assert.deepEqual(last.items, [oldest])
      assert.deepEqual(last.pagination, { count: 1, next: null, prev: 1 })
      assert.deepEqual((await secrets.list('anna', { limit: 2, since: 2 })).items, [newest])
    })

    it('resolves ids and names of the account, and tells which ids are foreign', async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const [a, b] = [await add({ name: 'a' }), await add({ name: 'b' })]
      const foreign = await add({ name: 'theirs', ownerId: 'bert' })
      const found = await secrets.resolve('anna', ['a', a.id, b.id, 'theirs', foreign.id, 'none', 'a'])
      assert.deepEqual(
        found,
        new Map<string, unknown>([
          [foreign.id, 'foreign'],
          ['a', { id: a.id, sealed: 'sealed a' }],
          [a.id, { id: a.id, sealed: 'sealed a' }],
          [b.id, { id: b.id, sealed: 'sealed b' }],
        ]),
      )
      assert.equal((await secrets.resolve('anna', [])).size, 0)
    })

    it("puts an account's own id before a name, and its name before a foreign id", async (t) => {
      const { secrets, add } = await openSecrets(t, open)
      const own = await add({ name: 'own' })
      const foreign = await add({ name: 'foreign', ownerId: 'bert' })
      await add({ name: own.id })
      const alike = await add({ name: foreign.id })
      const found = await secrets.resolve('anna', [own.id, foreign.id])
      assert.deepEqual(found.get(own.id), { id: own.id, sealed: 'sealed own' })
      assert.deepEqual(found.get(foreign.id), { id: alike.id, sealed: `sealed ${foreign.id}` })
    })

    it('resolves thousands of references, quotes and all, with what the transaction wrote', async (t) => {
      const { transact } = await openSecrets(t, open)
      const found = await transact(async ({ secrets }) => {
        await secrets.insert(sampleSecret({ ownerId: 'anna', name: 'late' }), 'sealed late')
        const others = Array.from({ length: 5000 }, (_, i) => `"none'${i}\\`)
        return secrets.resolve('anna', [...others, 'late'])
      })
      assert.deepEqual([...found.keys()], ['late'])
    })
  }),
)

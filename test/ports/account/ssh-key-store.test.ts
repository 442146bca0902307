import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleSshKey, sampleUser } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`SSH keys on ${name}`, () => {
    it('finds whose key it is, which is one person’s alone', async (t) => {
      const { stores } = await openStores(t, open)
      const [ada, bob] = [sampleUser(), sampleUser()]
      for (const user of [ada, bob]) await stores.users.insert(user)
      const keys = stores.sshKeys
      const key = sampleSshKey({ userId: ada.id })
      assert.equal(await keys.add(key), true)
      assert.equal(await keys.add(sampleSshKey({ userId: bob.id, fingerprint: key.fingerprint })), false)
      assert.deepEqual(await keys.find(key.fingerprint), { key, user: ada })
      assert.equal(await keys.find('SHA256:other'), undefined)
      await keys.touch(key.id, 7)
      assert.equal((await keys.find(key.fingerprint))?.key.usedAt, 7)
    })

    it('lists and deletes only the user’s own, the newest first', async (t) => {
      const { stores } = await openStores(t, open)
      const [ada, bob] = [sampleUser(), sampleUser()]
      for (const user of [ada, bob]) await stores.users.insert(user)
      const [older, newer] = [1, 2].map((createdAt) => sampleSshKey({ userId: ada.id, createdAt }))
      for (const key of [older, newer]) if (key) await stores.sshKeys.add(key)
      assert.deepEqual(await stores.sshKeys.list(ada.id), [newer, older])
      assert.deepEqual(await stores.sshKeys.list(bob.id), [])
      assert.equal(await stores.sshKeys.delete(bob.id, older?.id ?? ''), false)
      assert.equal(await stores.sshKeys.delete(ada.id, older?.id ?? ''), true)
      assert.deepEqual(await stores.sshKeys.list(ada.id), [newer])
    })
  }),
)

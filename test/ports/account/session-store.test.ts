import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleSession, sampleUser } from '#test/support/samples.ts'

async function openSessions(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const [user, stranger] = [sampleUser(), sampleUser()]
  await opened.stores.users.insert(user)
  await opened.stores.users.insert(stranger)
  return { ...opened, sessions: opened.stores.sessions, user, stranger }
}

eachDatabase((name, open) =>
  describe(`sessions on ${name}`, () => {
    it('finds a session and its user by the hash', async (t) => {
      const { sessions, user } = await openSessions(t, open)
      const session = sampleSession({ userId: user.id, userAgent: 'a "browser" \u{1f98a}' })
      await sessions.insert(session, 'hash')
      assert.deepEqual(await sessions.byHash('hash'), { session, user })
      assert.equal(await sessions.byHash('other'), undefined)
      await assert.rejects(sessions.insert(sampleSession({ userId: user.id }), 'hash'), { kind: 'conflict' })
    })

    it("lists a user's own that live, newest first and not more than asked for", async (t) => {
      const { sessions, user, stranger } = await openSessions(t, open)
      for (const [createdAt, expiresAt] of [
        [1, 50],
        [2, 10],
        [3, 50],
        [4, 50],
      ] as const)
        await sessions.insert(sampleSession({ userId: user.id, createdAt, expiresAt }), `${createdAt}`)
      await sessions.insert(sampleSession({ userId: stranger.id, expiresAt: 50 }), 'foreign')
      const times = async (limit: number) =>
        (await sessions.list(user.id, 10, limit)).map(({ createdAt }) => createdAt)
      assert.deepEqual(await times(10), [4, 3, 1])
      assert.deepEqual(await times(2), [4, 3])
    })

    it('keeps the latest end, in whatever order it is told', async (t) => {
      const { sessions, user } = await openSessions(t, open)
      const session = sampleSession({ userId: user.id, expiresAt: 10 })
      await sessions.insert(session, 'hash')
      await sessions.extend(session.id, 30)
      await sessions.extend(session.id, 20)
      assert.equal((await sessions.byHash('hash'))?.session.expiresAt, 30)
    })

    it("ends only the user's own: one of them, or all but one", async (t) => {
      const { sessions, user, stranger } = await openSessions(t, open)
      const made = [1, 2, 3].map((createdAt) => sampleSession({ userId: user.id, createdAt }))
      for (const session of made) await sessions.insert(session, session.id)
      const foreign = sampleSession({ userId: stranger.id })
      await sessions.insert(foreign, foreign.id)
      const [first, second] = made.map(({ id }) => id) as [string, string, string]
      assert.equal(await sessions.delete(stranger.id, first), false)
      assert.equal(await sessions.delete(user.id, first), true)
      assert.equal(await sessions.delete(user.id, first), false)
      assert.equal(await sessions.deleteOthers(user.id, second), 1)
      assert.equal((await sessions.byHash(second))?.session.id, second)
      assert.equal((await sessions.byHash(foreign.id))?.session.id, foreign.id)
    })

    it('forgets what has expired, and all of a user who is gone', async (t) => {
      const { sessions, user, database } = await openSessions(t, open)
      for (const expiresAt of [10, 20, 30])
        await sessions.insert(sampleSession({ userId: user.id, expiresAt }), `${expiresAt}`)
      await sessions.prune(20)
      assert.equal(await sessions.byHash('20'), undefined)
      assert.equal((await sessions.byHash('30'))?.session.expiresAt, 30)
      await database.db.deleteFrom('users').where('id', '=', user.id).execute()
      assert.deepEqual(await database.db.selectFrom('sessions').selectAll().execute(), [])
    })
  }),
)

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import type { Token } from '#core/token/token.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleToken, sampleUser } from '#test/support/samples.ts'

async function openTokens(t: TestContext, open: OpenDatabase) {
  const opened = await openStores(t, open)
  const user = sampleUser()
  await opened.stores.users.insert(user)
  return { ...opened, tokens: opened.stores.tokens, user }
}

eachDatabase((name, open) =>
  describe(`tokens on ${name}`, () => {
    it('finds a token and its user by the hash', async (t) => {
      const { tokens, user } = await openTokens(t, open)
      const token = sampleToken({ userId: user.id, expiresAt: 5 })
      await tokens.insert(token, 'hash')
      assert.deepEqual(await tokens.byHash('hash'), { token, user })
      assert.equal(await tokens.byHash('other'), undefined)
    })

    it('refuses a second token of the same hash', async (t) => {
      const { tokens, user } = await openTokens(t, open)
      await tokens.insert(sampleToken({ userId: user.id }), 'hash')
      await assert.rejects(tokens.insert(sampleToken({ userId: user.id }), 'hash'), { kind: 'conflict' })
    })

    it("shows and deletes only the user's own", async (t) => {
      const { tokens, user, stores } = await openTokens(t, open)
      const stranger = sampleUser()
      await stores.users.insert(stranger)
      const token = sampleToken({ userId: user.id })
      await tokens.insert(token, 'hash')
      assert.deepEqual(await tokens.byId(user.id, token.id), token)
      assert.equal(await tokens.byId(stranger.id, token.id), undefined)
      assert.equal(await tokens.delete(stranger.id, token.id), false)
      assert.deepEqual((await tokens.list(stranger.id, { limit: 10 })).items, [])
      assert.equal(await tokens.delete(user.id, token.id), true)
      assert.equal(await tokens.delete(user.id, token.id), false)
      assert.equal(await tokens.byHash('hash'), undefined)
    })

    it('remembers the latest activity, in whatever order it is told', async (t) => {
      const { tokens, user } = await openTokens(t, open)
      const token = sampleToken({ userId: user.id, activeAt: 10 })
      await tokens.insert(token, 'hash')
      await tokens.touch(token.id, 30)
      await tokens.touch(token.id, 20)
      assert.deepEqual(await tokens.byId(user.id, token.id), { ...token, activeAt: 30 })
    })

    it('keeps those of an installation that were used last, and nothing else is lost', async (t) => {
      const { tokens, user } = await openTokens(t, open)
      const make = async (hash: string, activeAt: number, installationId: string | null) => {
        const token = sampleToken({ userId: user.id, activeAt, installationId })
        await tokens.insert(token, hash)
        return token.id
      }
      const old = await make('old', 1, 'app')
      const kept = [await make('used', 5, 'app'), await make('new', 3, 'app')]
      kept.push(await make('other', 1, 'other'), await make('own', 1, null))
      await tokens.keep('app', 2)
      assert.equal(await tokens.byId(user.id, old), undefined)
      for (const id of kept) assert.ok(await tokens.byId(user.id, id))
    })

    it('forgets what has expired, and logins that nobody uses', async (t) => {
      const { tokens, user } = await openTokens(t, open)
      const make = async (given: Partial<Token>) => {
        const token = sampleToken({ userId: user.id, ...given })
        await tokens.insert(token, token.id)
        return token.id
      }
      const gone = [
        await make({ expiresAt: 100 }),
        await make({ kind: 'login', activeAt: 50, expiresAt: null }),
      ]
      const kept = [
        await make({ expiresAt: 101 }),
        await make({ kind: 'login', activeAt: 51, expiresAt: null }),
        await make({ kind: 'account', activeAt: 1, expiresAt: null }),
        await make({ kind: 'oauth2', activeAt: 1, expiresAt: null }),
      ]
      await tokens.prune(100, 50)
      for (const id of gone) assert.equal(await tokens.byId(user.id, id), undefined)
      for (const id of kept) assert.ok(await tokens.byId(user.id, id))
    })

    it('takes any bound a client can send', async (t) => {
      const { tokens, user } = await openTokens(t, open)
      const token = sampleToken({ userId: user.id })
      await tokens.insert(token, 'hash')
      const page = await tokens.list(user.id, { limit: 1, since: 0, until: 1e300 })
      assert.deepEqual(page.items, [token])
      assert.deepEqual((await tokens.list(user.id, { limit: 1, since: 1e300 })).items, [])
    })

    it('yields every row once to whoever walks the pages, whatever the times', async (t) => {
      const { tokens, user, stores, transact } = await openTokens(t, open)
      const times = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 30 })
      const limits = fc.integer({ min: 1, max: 8 })
      const property = fc.asyncProperty(times, limits, async (createdAts, limit) => {
        const owner = sampleUser()
        await stores.users.insert(owner)
        const made = createdAts.map((createdAt) => sampleToken({ userId: owner.id, createdAt }))
        await transact(async (inTx) => {
          for (const token of made) await inTx.tokens.insert(token, token.id)
        })
        const seen: Token[] = []
        let until: number | undefined
        do {
          const page = await tokens.list(owner.id, until === undefined ? { limit } : { limit, until })
          const { count, next, prev } = page.pagination
          assert.equal(count, page.items.length)
          assert.equal(prev, until === undefined ? null : (page.items[0]?.createdAt ?? null))
          assert.ok(next === null || next === page.items.at(-1)?.createdAt)
          // Longer only by rows of the same moment as the last that was asked for, and never short while more follows.
          const last = new Set(page.items.slice(limit - 1).map((item) => item.createdAt))
          assert.ok(count <= limit || last.size === 1)
          assert.ok(next === null || count >= limit)
          seen.push(...page.items)
          until = next ?? undefined
        } while (until !== undefined)
        const newestFirst = made.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        assert.deepEqual(seen, newestFirst)
      })
      await fc.assert(property, { numRuns: 40 })
      assert.deepEqual((await tokens.list(user.id, { limit: 5 })).items, [])
    })

    it('lists only what was created strictly between since and until', async (t) => {
      const { tokens, user } = await openTokens(t, open)
      for (let createdAt = 1; createdAt <= 6; createdAt++)
        await tokens.insert(sampleToken({ userId: user.id, createdAt }), `hash ${createdAt}`)
      const { items, pagination } = await tokens.list(user.id, { limit: 2, since: 1, until: 6 })
      assert.deepEqual(
        items.map((item) => item.createdAt),
        [5, 4],
      )
      assert.deepEqual(pagination, { count: 2, next: 4, prev: 5 })
      const rest = await tokens.list(user.id, { limit: 2, since: 1, until: 4 })
      assert.deepEqual(
        rest.items.map((item) => item.createdAt),
        [3, 2],
      )
      assert.equal(rest.pagination.next, null)
    })
  }),
)

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HOUR } from '#contract/time.ts'
import { untilBlocked } from '#test/support/blocked.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleFile } from '#test/support/samples.ts'

const NOW = 1_700_000_000_000
const [a, b, c] = [sampleFile('a'), sampleFile('b'), sampleFile('c')]

eachDatabase((name, open) =>
  describe(`files on ${name}`, () => {
    it('claims what the account has added, and nothing that only others have', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [a, b], NOW)
      await files.add('bert', [c], NOW)
      const claimed = await files.claim('anna', [a.sha1, b.sha1, c.sha1, 'none'], NOW)
      assert.deepEqual(
        claimed,
        new Map([
          [a.sha1, a],
          [b.sha1, b],
        ]),
      )
      assert.equal((await files.claim('anna', [], NOW)).size, 0)
    })

    it('adds the same file again, also twice in one go, and keeps one', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [a, b, a], NOW)
      await files.add('anna', [a], NOW)
      assert.equal((await files.stale(NOW + 1, 10)).length, 2)
      await files.add('anna', [], NOW)
    })

    it('remembers the latest use, in whatever order it is told', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [a], NOW)
      await files.add('anna', [a], NOW - 5)
      assert.deepEqual(await files.stale(NOW, 10), [])
      await files.claim('anna', [a.sha1], NOW - 24 * HOUR)
      assert.deepEqual(await files.stale(NOW, 10), [])
    })

    it('refreshes by a claim only what was not used for half a day', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [a], NOW)
      await files.add('anna', [b], NOW + 2)
      const later = NOW + 12 * HOUR + 1
      assert.equal((await files.claim('anna', [a.sha1, b.sha1], later)).size, 2)
      assert.deepEqual(await files.stale(later, 10), [{ ownerId: 'anna', sha1: b.sha1 }])
      assert.equal((await files.stale(later + 1, 10)).length, 2)
    })

    it('remembers many that were claimed, but not past their time, for others, or once they are damaged', async (t) => {
      const { files } = (await openStores(t, open)).stores
      const many = Array.from({ length: 1500 }, (_, n) => sampleFile(`many ${n}`))
      const sha1s = many.map(({ sha1 }) => sha1)
      const claimed = async (ownerId: string, at: number) => (await files.claim(ownerId, sha1s, at)).size
      await files.add('anna', many.slice(0, 1400), NOW)
      assert.equal(await claimed('anna', NOW), 1400)
      assert.equal(await claimed('bert', NOW), 0)
      await files.add('anna', many.slice(1400), NOW + 1)
      assert.equal(await claimed('anna', NOW + 1), 1500)
      assert.deepEqual((await files.claim('anna', sha1s, NOW + 2)).get(a.sha1), undefined)
      assert.deepEqual((await files.claim('anna', sha1s, NOW + 2)).get(sha1s[7] ?? ''), many[7])
      await files.addDamaged(many[7]?.sha256 ?? '', NOW + 3)
      assert.equal((await files.claim('anna', sha1s, NOW + 3)).get(sha1s[7] ?? ''), undefined)
      await files.add('anna', many.slice(7, 8), NOW + 4)
      assert.deepEqual((await files.claim('anna', sha1s, NOW + 4)).get(sha1s[7] ?? ''), many[7])
      const later = NOW + 13 * HOUR
      assert.equal(await claimed('anna', later), 1500)
      assert.deepEqual(await files.stale(later, 10), [])
    })

    it('claims each in the order that is asked for, few or many, again and in another order', async (t) => {
      const { files } = (await openStores(t, open)).stores
      const many = Array.from({ length: 1200 }, (_, n) => sampleFile(`many ${n}`))
      await files.add('anna', many.slice(0, 1100), NOW)
      const check = async (asked: readonly (typeof a)[], have: ReadonlySet<string>) => {
        const sha1s = asked.map(({ sha1 }) => sha1)
        const expected = asked.map((file) => (have.has(file.sha1) ? file : undefined))
        assert.deepEqual(await files.claimEach('anna', sha1s, NOW), expected)
      }
      let have = new Set(many.slice(0, 1100).map(({ sha1 }) => sha1))
      await check([], have)
      await check(many.slice(1095, 1105), have)
      const twice = [...many, ...many.slice(40, 60), ...many.slice(1090, 1110)]
      for (let round = 0; round < 2; round++) await check(twice, have)
      await check(many.toReversed(), have)
      await check([c, ...many.slice(7, 500), b, ...many.slice(501), ...many.slice(0, 7)], have)
      await files.add('anna', [...many.slice(1100), c], NOW)
      have = new Set([...many, c].map(({ sha1 }) => sha1))
      await check([c, ...many.slice(7, 500), b, ...many.slice(501), ...many.slice(0, 7)], have)
      await check(twice, have)
    })

    it('has what another account shares, and has what is damaged only after somebody adds it again', async (t) => {
      const { files, usage } = (await openStores(t, open)).stores
      await files.add('anna', [a, b], NOW)
      await files.addDamaged(b.sha256, NOW)
      await files.share('bert', [a, b, b], NOW)
      const claimed = async () => [...(await files.claim('bert', [a.sha1, b.sha1], NOW)).keys()]
      assert.deepEqual(await claimed(), [a.sha1])
      assert.equal(await files.countDamaged(), 1)
      assert.equal(await usage.used('bert', 'contentBytes', ''), a.size + b.size)
      await files.share('bert', [a], NOW)
      assert.equal(await usage.used('bert', 'contentBytes', ''), a.size + b.size)
      await files.add('anna', [b], NOW)
      assert.deepEqual(new Set(await claimed()), new Set([a.sha1, b.sha1]))
    })

    it('counts what is damaged as long as an account has it', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [a, b], NOW)
      await files.add('bert', [b], NOW)
      for (const { sha256 } of [a, a, b, c]) await files.addDamaged(sha256, NOW)
      assert.equal(await files.countDamaged(), 2, 'nobody has c')
      await files.forget('anna', [a.sha1, b.sha1], NOW + 1)
      assert.equal(await files.countDamaged(), 1, 'one account still has b')
      await files.forget('bert', [b.sha1], NOW + 1)
      assert.equal(await files.countDamaged(), 0)
      await files.add('anna', [c], NOW + 2)
      assert.equal((await files.claim('anna', [c.sha1], NOW + 2)).size, 1)
    })

    it('tells what was not used since, the longest unused first, and only so many', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [b], NOW + 2)
      await files.add('bert', [a], NOW + 1)
      await files.add('anna', [c], NOW + 3)
      const stale = [
        { ownerId: 'bert', sha1: a.sha1 },
        { ownerId: 'anna', sha1: b.sha1 },
      ]
      assert.deepEqual(await files.stale(NOW + 3, 10), stale)
      assert.deepEqual(await files.stale(NOW + 3, 1), stale.slice(0, 1))
    })

    it('keeps what is in use, also what is damaged, of that account', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [a, b, c], NOW)
      await files.add('bert', [a], NOW)
      await files.addDamaged(a.sha256, NOW)
      await files.keep('anna', [b.sha1, a.sha1, 'none'], NOW + 10)
      await files.keep('anna', [b.sha1], NOW + 5)
      await files.keep('anna', [], NOW + 10)
      const stale = await files.stale(NOW + 10, 10)
      assert.deepEqual(
        new Set(stale.map((file) => `${file.ownerId} ${file.sha1}`)),
        new Set([`anna ${c.sha1}`, `bert ${a.sha1}`]),
      )
      assert.equal((await files.claim('anna', [a.sha1], NOW + 10)).size, 0, 'it is damaged all the same')
    })

    it('forgets only what still was not used since, of that account', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [a, b], NOW)
      await files.add('anna', [c], NOW + 10)
      await files.add('bert', [b], NOW)
      const forgotten = await files.forget('anna', [a.sha1, b.sha1, c.sha1, 'none'], NOW + 10)
      assert.deepEqual(forgotten, [a.sha256], 'another account has the content of b')
      assert.deepEqual([...(await files.claim('anna', [a.sha1, b.sha1, c.sha1], NOW)).keys()], [c.sha1])
      assert.equal((await files.claim('bert', [b.sha1], NOW)).size, 1)
      assert.deepEqual(await files.forget('bert', [b.sha1], NOW + 10), [b.sha256])
      assert.deepEqual(await files.forget('bert', [], NOW + 10), [])
    })

    it('knows which contents some account has', async (t) => {
      const { files } = (await openStores(t, open)).stores
      await files.add('anna', [a, b], NOW)
      await files.add('bert', [b], NOW)
      assert.deepEqual(await files.known([a.sha256, b.sha256, c.sha256]), new Set([a.sha256, b.sha256]))
      assert.deepEqual(await files.known([]), new Set())
    })

    it('takes thousands of files at once', async (t) => {
      const { transact } = await openStores(t, open)
      const many = Array.from({ length: 6000 }, (_, i) => sampleFile(`file ${i}`))
      const claimed = await transact(async ({ files }) => {
        await files.add('anna', many.slice(0, 5900), NOW)
        return files.claim(
          'anna',
          many.map(({ sha1 }) => sha1),
          NOW + 13 * HOUR,
        )
      })
      assert.equal(claimed.size, 5900)
      assert.deepEqual(claimed.get(many[5899]?.sha1 ?? ''), many[5899])
      assert.equal(claimed.get(many[5900]?.sha1 ?? ''), undefined)
    })

    it('has written a file by the time its add resolves, however many are added at once', async (t) => {
      const { stores, again } = await openStores(t, open)
      const other = (await again()).stores.files
      const [first, second] = await Promise.all(
        [0, 1].map(async (caller) => {
          for (let i = 0; i < 40; i++) {
            const file = sampleFile(`${caller}/${i}`)
            await Promise.all([
              stores.files.add('anna', [file], NOW),
              stores.files.add('bert', [file, sampleFile(`${i}`)], NOW),
            ])
            for (const owner of ['anna', 'bert'])
              assert.equal((await other.claim(owner, [file.sha1], NOW)).size, 1)
          }
          return caller
        }),
      )
      assert.deepEqual([first, second], [0, 1])
      assert.equal((await other.stale(NOW + 1, 1000)).length, 80 + 120)
    })

    it('fails nobody for the file of somebody else that cannot be written', async (t) => {
      const { files } = (await openStores(t, open)).stores
      const adds = await Promise.allSettled([
        files.add('anna', [a], NOW),
        files.add('anna', [{ ...b, size: Number.NaN }], NOW),
        files.add('anna', [c], NOW),
      ])
      assert.deepEqual(
        adds.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      )
      assert.deepEqual([...(await files.claim('anna', [a.sha1, b.sha1, c.sha1], NOW)).keys()].sort(), [
        ...[a.sha1, c.sha1].sort(),
      ])
    })

    it('adds nothing for a transaction that fails', async (t) => {
      const { stores, transact } = await openStores(t, open)
      const failed = transact(async ({ files }) => {
        await files.add('anna', [a], NOW)
        throw new Error('no')
      })
      await assert.rejects(failed, /no/)
      assert.equal((await stores.files.claim('anna', [a.sha1], NOW)).size, 0)
    })

    it('does not forget what a transaction has claimed', async (t) => {
      const opened = await openStores(t, open)
      const other = await opened.again()
      await opened.stores.files.add('anna', [a, b], NOW)
      const later = NOW + 25 * HOUR
      const forget = await opened.transact(async ({ files }) => {
        assert.equal((await files.claim('anna', [a.sha1], later)).size, 1)
        const forgetting = other.stores.files.forget('anna', [b.sha1, a.sha1], later - 24 * HOUR)
        await untilBlocked(other, forgetting)
        return { forgetting }
      })
      assert.deepEqual(await forget.forgetting, [b.sha256])
      assert.equal((await opened.stores.files.claim('anna', [a.sha1], later)).size, 1)
    })

    it('does not claim what is being forgotten', async (t) => {
      const opened = await openStores(t, open)
      const other = await opened.again()
      await opened.stores.files.add('anna', [a, b], NOW)
      const later = NOW + 25 * HOUR
      const claim = await opened.transact(async ({ files }) => {
        assert.deepEqual(await files.forget('anna', [a.sha1], later - 24 * HOUR), [a.sha256])
        const claiming = other.transact((stores) => stores.files.claim('anna', [b.sha1, a.sha1], later))
        await untilBlocked(other, claiming)
        return { claiming }
      })
      assert.deepEqual([...(await claim.claiming).keys()], [b.sha1])
    })

    it('holds an account to its limit, whoever adds at the same time', async (t) => {
      const first = await openStores(t, open)
      const all = [first, await first.again(), await first.again()].map(({ stores }) => stores.files)
      const many = Array.from({ length: 30 }, (_, i) => ({ ...sampleFile(`limited ${i}`), size: 10 }))
      const results = await Promise.allSettled([
        ...many.map((file, i) => all[i % 3]?.add('anna', [file], NOW, 105)),
        // Others have nothing to do with it, in whatever batch they are.
        ...many.map((file, i) => all[i % 3]?.add('bert', [file], NOW, 1000)),
      ])
      const refused = results.filter((result) => result.status === 'rejected')
      for (const { reason } of refused) {
        assert.equal(reason.kind, 'quota_exceeded')
        assert.equal(reason.extra.limit, 105)
        assert.ok(reason.extra.used <= 105)
      }
      assert.equal(refused.length, 20)
      const { usage, files } = first.stores
      assert.equal(await usage.used('anna', 'contentBytes', ''), 100)
      assert.equal(await usage.used('bert', 'contentBytes', ''), 300)
      const known = many[results.findIndex(({ status }) => status === 'fulfilled')]
      await files.add('anna', known ? [known] : [], NOW, 1)
      assert.equal(await usage.used('anna', 'contentBytes', ''), 100, 'what is there takes no room')
    })

    it('lets many claim, add and forget the same files without a deadlock', async (t) => {
      const first = await openStores(t, open)
      const all = [first, await first.again(), await first.again()]
      const many = Array.from({ length: 50 }, (_, i) => sampleFile(`file ${i}`))
      await first.stores.files.add('anna', many, NOW)
      const orders = [many, many.toReversed(), many.toSorted((x, y) => x.size - y.size)]
      await Promise.all(
        Array.from({ length: 24 }, (_, i) => {
          const { files } = (all[i % 3] ?? first).stores
          const order = orders[(i * 5) % 3] ?? many
          const sha1s = order.map(({ sha1 }) => sha1)
          const time = NOW + (i + 1) * 13 * HOUR
          if (i % 4 === 0) return files.forget('anna', sha1s, NOW)
          return i % 4 === 1 ? files.add('anna', order, time) : files.claim('anna', sha1s, time)
        }),
      )
      assert.equal((await first.stores.files.stale(NOW + 1e9, 100)).length <= 50, true)
    })
  }),
)

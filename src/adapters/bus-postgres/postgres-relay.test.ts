import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { onPostgres, removeDatabase } from '#test/support/database/databases.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { createPostgresRelay, type Relay } from './postgres-relay.ts'

onPostgres((name, open) => {
  async function relays(t: TestContext) {
    const url = await open()
    const [one, two] = [0, 1].map(() => createPostgresRelay({ url, log: silentLog })) as [Relay, Relay]
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    t.after(async () => {
      await Promise.all([one.close(), two.close(), client.end()])
      await removeDatabase(url)
    })
    const listening = async (): Promise<number[]> => {
      const { rows } = await client.query(
        `select pid from pg_stat_activity where datname = current_database() and application_name = 'aloft bus'
         and state = 'idle' and query <> ''`,
      )
      return rows.map(({ pid }) => pid as number)
    }
    const untilListening = async () => {
      while ((await listening()).length < 2);
    }
    const cut = async () => {
      for (const pid of await listening()) await client.query('select pg_terminate_backend($1)', [pid])
    }
    await untilListening()
    await Promise.all([one.untilHearing(), two.untilHearing()])
    return { url, one, two, untilListening, cut }
  }

  /** What is heard from now on. */
  function hear(relay: Relay, topic: string) {
    const heard: string[] = []
    let check = () => {}
    relay.subscribe(topic, (message) => {
      heard.push(message)
      check()
    })
    const until = (count: number) =>
      new Promise<readonly string[]>((resolve) => {
        check = () => heard.length >= count && resolve(heard)
        check()
      })
    return { heard, until }
  }

  test(`${name}: others are told, whoever tells is not, and only those of the topic`, async (t) => {
    const { one, two } = await relays(t)
    const [own, other, elsewhere] = [hear(one, 'a'), hear(two, 'a'), hear(two, 'b')]
    one.send('a', 'with\nlines and "quotes"')
    one.send('a', 'x'.repeat(10_000))
    one.send('a', 'last')
    assert.deepEqual(await other.until(2), ['with\nlines and "quotes"', 'last'])
    assert.deepEqual([own.heard, elsewhere.heard], [[], []])
  })

  test(`${name}: many at once are sent in their order, one query at a time`, async (t) => {
    const { one, two } = await relays(t)
    const underWay = new Map<object, number>()
    let most = 0
    const query = pg.Client.prototype.query as (...given: unknown[]) => Promise<unknown>
    const counted = t.mock.method(pg.Client.prototype, 'query', async function (
      this: object,
      ...given: unknown[]
    ) {
      const count = (underWay.get(this) ?? 0) + 1
      underWay.set(this, count)
      most = Math.max(most, count)
      return query.apply(this, given).finally(() => underWay.set(this, (underWay.get(this) ?? 1) - 1))
    } as never)
    const other = hear(two, 'a')
    const said = Array.from({ length: 1200 }, (_, n) => `message ${n}`)
    for (const message of said) one.send('a', message)
    assert.deepEqual(await other.until(said.length), said)
    assert.equal(most, 1)
    counted.mock.restore()
  })

  test(`${name}: what the database refuses holds nothing up`, async (t) => {
    const { one, two } = await relays(t)
    const other = hear(two, 'a')
    for (const message of ['first', 'before', 'not\0text', 'after']) one.send('a', message)
    assert.deepEqual(await other.until(3), ['first', 'before', 'after'])
  })

  test(`${name}: a connection that ends is made anew, and the gap is told`, async (t) => {
    const { one, two, untilListening, cut } = await relays(t)
    const gap = new Promise<void>((resolve) => two.onGap(resolve))
    const other = hear(two, 'a')
    await cut()
    await gap
    await untilListening()
    one.send('a', 'after')
    assert.deepEqual(await other.until(1), ['after'])
  })

  test(`${name}: what was looked up before anything could be heard is looked up again`, async (t) => {
    const { url, one } = await relays(t)
    const late = createPostgresRelay({ url, log: silentLog })
    t.after(() => late.close())
    one.send('a', 'before')
    const gap = new Promise<void>((resolve) => late.onGap(resolve))
    await Promise.all([gap, late.untilHearing()])
    const heard = hear(late, 'a')
    one.send('a', 'after')
    assert.equal((await heard.until(1)).at(-1), 'after')
  })

  test(`${name}: what was said last is heard, though whoever said it is gone`, async (t) => {
    const { one, two } = await relays(t)
    const other = hear(two, 'a')
    one.send('a', 'last words')
    await one.close()
    assert.deepEqual(await other.until(1), ['last words'])
  })
})

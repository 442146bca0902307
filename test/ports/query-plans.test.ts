import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { Kysely } from 'kysely'
import { createSqliteDialect } from '#adapters/sql/dialect/sqlite-dialect.ts'
import { migrate } from '#adapters/sql/migrations/migrate.ts'
import { createStores, type Stores } from '#adapters/sql/stores.ts'
import type { Tables } from '#adapters/sql/tables.ts'
import { sampleLogin, sampleSecret, sampleTeam, sampleToken, sampleUser } from '#test/support/samples.ts'

const user = sampleUser()
const team = sampleTeam({ creatorId: user.id })
const token = sampleToken({ userId: user.id })
const login = sampleLogin()
const secret = sampleSecret({ ownerId: user.id })
const page = { limit: 10, since: 1, until: 2e12 }
const kinds = ['mail', 'build']

type Calls = { readonly [S in keyof Stores]: { readonly [M in keyof Stores[S]]: () => Promise<unknown> } }

/** Every method of every store: one that is missing here does not compile. */
const callsOn = ({ users, teams, tokens, logins, settings, jobs, secrets }: Stores): Calls => ({
  users: {
    insert: () => users.insert(user),
    byId: () => users.byId(user.id),
    byEmail: () => users.byEmail(user.email),
    byUsername: () => users.byUsername(user.username),
    update: () => users.update(user.id, { plan: 'pro' }),
    hasOperator: () => users.hasOperator(),
  },
  teams: {
    insert: () => teams.insert(team, user.id),
    byId: () => teams.byId(team.id),
    bySlug: () => teams.bySlug(team.slug),
    listFor: () => teams.listFor(user.id, page),
    update: () => teams.update(team.id, { slug: 'renamed', name: 'Renamed' }),
    members: () => teams.members(team.id),
    member: () => teams.member(team.id, user.id),
    addMember: () => teams.addMember(team.id, user.id, 'MEMBER', 1),
    setRole: () => teams.setRole(team.id, user.id, 'OWNER'),
    removeMember: () => teams.removeMember(team.id, user.id),
    lockMembers: () => teams.lockMembers(team.id),
    countOwners: () => teams.countOwners(team.id),
    membership: async () => {
      await teams.membership(user.id, { id: team.id })
      await teams.membership(user.id, { slug: team.slug })
    },
  },
  tokens: {
    insert: () => tokens.insert(token, 'hash'),
    byHash: () => tokens.byHash('hash'),
    byId: () => tokens.byId(user.id, token.id),
    list: () => tokens.list(user.id, page),
    touch: () => tokens.touch(token.id, 1),
    delete: () => tokens.delete(user.id, token.id),
  },
  logins: {
    insert: () => logins.insert(login, { poll: 'p', link: 'l' }),
    byPoll: () => logins.byPoll('p'),
    byLink: () => logins.byLink('l'),
    accept: () => logins.accept(login.id, 1),
    take: () => logins.take(login.id),
    deleteExpired: () => logins.deleteExpired(1),
  },
  settings: {
    get: () => settings.get('a'),
    set: () => settings.set('a', '1'),
    ensure: () => settings.ensure('b', '1'),
    take: () => settings.take('a', '1'),
  },
  jobs: {
    enqueue: async () => {
      await jobs.enqueue({ kind: 'mail', payload: {}, key: 'k' })
      await jobs.enqueue({ kind: 'mail', payload: {}, key: 'k' })
    },
    claim: () => jobs.claim({ kinds, worker: 'w', now: 2e12, leaseUntil: 3e12, limit: 5 }),
    extend: () => jobs.extend('x', 'w', 1),
    complete: () => jobs.complete('x', 'w'),
    retry: () => jobs.retry('x', 'w', 1, 'no'),
    bury: () => jobs.bury('x', 'w', 'no', 1),
    nextDue: () => jobs.nextDue(kinds),
    counts: () => jobs.counts(),
    prune: () => jobs.prune(1),
  },
  secrets: {
    insert: () => secrets.insert(secret, 'sealed'),
    byName: () => secrets.byName(user.id, secret.name),
    list: () => secrets.list(user.id, page),
    lock: async () => {
      await secrets.lock(user.id, { id: secret.id })
      await secrets.lock(user.id, { name: secret.name })
    },
    rename: () => secrets.rename(user.id, secret.id, 'renamed'),
    delete: () => secrets.delete(user.id, secret.id),
    resolve: () => secrets.resolve(user.id, [secret.id, 'a-name']),
  },
})

/** For people who operate the installation; finished jobs are deleted, so there are few to count. */
const MAY_SCAN = ['jobs.counts']

/**
 * Not slow: the few jobs being claimed, a walk along the queue that ends at the first job of a kind, and
 * a list that the statement was given.
 */
const SLOW = /^SCAN (?!due$|CONSTANT|json_each |jobs USING INDEX jobs_due$)|TEMP B-TREE/

async function openRecorded(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-plans-'))
  const file = join(folder, 'aloft.db')
  let recorded: string[] = []
  const db = new Kysely<Tables>({
    dialect: createSqliteDialect({ file }),
    log: ({ query }) => {
      recorded.push(query.sql)
    },
  })
  await migrate(db as unknown as Kysely<unknown>)
  const raw = new DatabaseSync(file)
  t.after(async () => {
    raw.close()
    await db.destroy()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    stores: createStores(db, { clock: { now: () => 1 } }),
    async recordedBy(run: () => Promise<unknown>): Promise<string[]> {
      recorded = []
      await run()
      return recorded
    },
    planOf: (sql: string) =>
      raw
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
  }
}

it('finds every row by an index and in its order, in every statement of every store', async (t) => {
  const { stores, recordedBy, planOf } = await openRecorded(t)
  for (const [store, calls] of Object.entries(callsOn(stores)))
    for (const [method, call] of Object.entries(calls)) {
      const statements = await recordedBy(call)
      assert.ok(statements.length > 0)
      if (MAY_SCAN.includes(`${store}.${method}`)) continue
      for (const sql of statements) {
        const plan = planOf(sql)
        const slow = plan.filter((step) => SLOW.test(step))
        assert.deepEqual(slow, [], `${store}.${method}: ${sql}\n${plan.join('\n')}`)
      }
    }
})

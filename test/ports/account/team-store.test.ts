import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Team } from '#core/team/team.ts'
import { eachDatabase, type OpenDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleTeam, sampleUser } from '#test/support/samples.ts'

async function openTeam(t: TestContext, open: OpenDatabase, given: Partial<Team> = {}) {
  const opened = await openStores(t, open)
  const owner = sampleUser({ username: 'owner' })
  await opened.stores.users.insert(owner)
  const team = sampleTeam({ creatorId: owner.id, slug: 'crew', ...given })
  assert.equal(await opened.stores.teams.insert(team, owner.id), true)
  const addUser = async () => {
    const user = sampleUser()
    await opened.stores.users.insert(user)
    return user
  }
  return { ...opened, teams: opened.stores.teams, owner, team, addUser }
}

eachDatabase((name, open) =>
  describe(`teams on ${name}`, () => {
    it('finds a team by id and slug, as it was stored', async (t) => {
      const { teams, team } = await openTeam(t, open, {
        avatar: 'f00',
        softBlocked: true,
        membersMayEditProduction: false,
      })
      assert.deepEqual(await teams.byId(team.id), team)
      assert.deepEqual(await teams.bySlug('crew'), team)
      assert.equal(await teams.byId('x'), undefined)
      assert.equal(await teams.bySlug('x'), undefined)
    })

    it('refuses a slug that a team or a user has, and stores nothing', async (t) => {
      const { teams, owner } = await openTeam(t, open)
      for (const slug of ['crew', 'owner']) {
        const rival = sampleTeam({ creatorId: owner.id, slug })
        assert.equal(await teams.insert(rival, owner.id), false)
        assert.equal(await teams.byId(rival.id), undefined)
        assert.equal(await teams.member(rival.id, owner.id), undefined)
      }
    })

    it('tells a member its role, and others nothing', async (t) => {
      const { teams, team, owner, addUser } = await openTeam(t, open)
      const stranger = await addUser()
      for (const by of [{ id: team.id }, { slug: 'crew' }]) {
        assert.deepEqual(await teams.membership(owner.id, by), { team, role: 'OWNER' })
        assert.equal(await teams.membership(stranger.id, by), undefined)
      }
      assert.equal(await teams.membership(owner.id, { id: 'x' }), undefined)
      assert.equal(await teams.membership(owner.id, { slug: 'x' }), undefined)
      assert.deepEqual(await teams.roles(owner.id, [team.id, 'x']), new Map([[team.id, 'OWNER']]))
      assert.deepEqual(await teams.roles(stranger.id, [team.id]), new Map())
    })

    it('frees the old slug when a new one is taken', async (t) => {
      const { teams, team, owner } = await openTeam(t, open)
      assert.equal(await teams.update(team.id, { slug: 'band' }), true)
      assert.equal(await teams.bySlug('crew'), undefined)
      assert.deepEqual(await teams.bySlug('band'), { ...team, slug: 'band' })
      assert.equal(await teams.insert(sampleTeam({ creatorId: owner.id, slug: 'band' }), owner.id), false)
      assert.equal(await teams.insert(sampleTeam({ creatorId: owner.id, slug: 'crew' }), owner.id), true)
    })

    it('changes nothing when the new slug is taken', async (t) => {
      const { teams, team } = await openTeam(t, open)
      assert.equal(await teams.update(team.id, { slug: 'owner', name: 'New' }), false)
      assert.deepEqual(await teams.byId(team.id), team)
    })

    it('takes its own slug again, every other change, and no change at all', async (t) => {
      const { teams, team } = await openTeam(t, open)
      assert.equal(await teams.update(team.id, { slug: 'crew' }), true)
      assert.equal(await teams.update(team.id, {}), true)
      assert.deepEqual(await teams.byId(team.id), team)
      const change = { name: 'New', plan: 'oss', softBlocked: true, membersMayEditProduction: false } as const
      assert.equal(await teams.update(team.id, change), true)
      assert.deepEqual(await teams.byId(team.id), { ...team, ...change })
    })

    it('answers false for a team that is not there', async (t) => {
      const { teams, owner } = await openTeam(t, open)
      assert.equal(await teams.update('x', { slug: 'free' }), false)
      assert.equal(await teams.addMember('x', owner.id, 'MEMBER', 1), false)
      assert.equal(await teams.insert(sampleTeam({ creatorId: owner.id, slug: 'free' }), owner.id), true)
    })

    it('leaves one holder of every slug when renames race', async (t) => {
      const { teams, team, transact, again, owner } = await openTeam(t, open)
      const other = sampleTeam({ creatorId: owner.id, slug: 'band' })
      await teams.insert(other, owner.id)
      const { transact: elsewhere } = await again()
      const slugs = ['crew', 'band', 'duo', 'trio']
      await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          (i % 2 ? transact : elsewhere)((stores) =>
            stores.teams.update(i % 4 < 2 ? team.id : other.id, { slug: slugs[(i * 7) % 4] as string }),
          ),
        ),
      )
      const held = [(await teams.byId(team.id))?.slug, (await teams.byId(other.id))?.slug]
      for (const slug of slugs) {
        const rival = sampleTeam({ creatorId: owner.id, slug })
        assert.equal(await teams.insert(rival, owner.id), !held.includes(slug), slug)
      }
    })

    it('lists members by the age of their membership', async (t) => {
      const { teams, team, owner, addUser } = await openTeam(t, open, { createdAt: 10 })
      const [late, early] = [await addUser(), await addUser()]
      assert.equal(await teams.addMember(team.id, late.id, 'MEMBER', 30), true)
      assert.equal(await teams.addMember(team.id, early.id, 'OWNER', 20), true)
      const shown = (user: typeof owner, role: string) => ({
        userId: user.id,
        role,
        email: user.email,
        username: user.username,
      })
      const all = [shown(owner, 'OWNER'), shown(early, 'OWNER'), shown(late, 'MEMBER')]
      assert.deepEqual(await teams.members(team.id), all)
      assert.deepEqual(await teams.member(team.id, late.id), all[2])
      assert.equal(await teams.countOwners(team.id), 2)
    })

    it('keeps the role of somebody who is a member already', async (t) => {
      const { teams, team, owner } = await openTeam(t, open)
      assert.equal(await teams.addMember(team.id, owner.id, 'MEMBER', 99), false)
      assert.equal((await teams.member(team.id, owner.id))?.role, 'OWNER')
    })

    it('changes roles and removes members', async (t) => {
      const { teams, team, owner, addUser } = await openTeam(t, open)
      const user = await addUser()
      await teams.addMember(team.id, user.id, 'MEMBER', 1)
      await teams.setRole(team.id, user.id, 'OWNER')
      assert.equal((await teams.member(team.id, user.id))?.role, 'OWNER')
      assert.equal((await teams.member(team.id, owner.id))?.role, 'OWNER')
      await teams.removeMember(team.id, user.id)
      assert.equal(await teams.member(team.id, user.id), undefined)
      assert.equal(await teams.countOwners(team.id), 1)
    })

    it('keeps an owner however many step down at once, when they lock the members first', async (t) => {
      const { teams, team, transact, again, owner, addUser } = await openTeam(t, open)
      const second = await addUser()
      await teams.addMember(team.id, second.id, 'OWNER', 1)
      const { transact: elsewhere } = await again()
      const stepDown = (run: typeof transact, userId: string) =>
        run(async (stores) => {
          await stores.teams.lockMembers(team.id)
          if ((await stores.teams.countOwners(team.id)) > 1)
            await stores.teams.setRole(team.id, userId, 'MEMBER')
        })
      await Promise.all([stepDown(transact, owner.id), stepDown(elsewhere, second.id)])
      assert.equal(await teams.countOwners(team.id), 1)
    })

    it('makes others wait with a change of members until the lock is gone', async (t) => {
      const { teams, team, transact, again, addUser } = await openTeam(t, open)
      const user = await addUser()
      const other = await again()
      const locked = Promise.withResolvers<void>()
      const order: string[] = []
      const holder = transact(async (stores) => {
        await stores.teams.lockMembers(team.id)
        locked.resolve()
        for (let i = 0; i < 20; i++) {
          await new Promise(setImmediate)
          assert.equal(await stores.teams.member(team.id, user.id), undefined)
        }
        order.push('holder')
      })
      await locked.promise
      const adder = other.stores.teams
        .addMember(team.id, user.id, 'MEMBER', 1)
        .then(() => order.push('adder'))
      await Promise.all([holder, adder])
      assert.deepEqual(order, ['holder', 'adder'])
      assert.equal((await teams.member(team.id, user.id))?.role, 'MEMBER')
    })

    it("lists a user's teams, newest first", async (t) => {
      const { teams, team, owner, addUser } = await openTeam(t, open, { createdAt: 1 })
      const stranger = await addUser()
      const newer = sampleTeam({ creatorId: owner.id, createdAt: 3 })
      const foreign = sampleTeam({ creatorId: stranger.id, createdAt: 2 })
      const joined = sampleTeam({ creatorId: stranger.id, createdAt: 4 })
      await teams.insert(newer, owner.id)
      await teams.insert(foreign, stranger.id)
      await teams.insert(joined, stranger.id)
      await teams.addMember(joined.id, owner.id, 'MEMBER', 5)
      const page = await teams.listFor(owner.id, { limit: 2 })
      assert.deepEqual(page.items, [joined, newer])
      assert.deepEqual(page.pagination, { count: 2, next: 3, prev: null })
      const last = await teams.listFor(owner.id, { limit: 2, until: 3 })
      assert.deepEqual(last.items, [team])
      assert.deepEqual(last.pagination, { count: 1, next: null, prev: 1 })
    })
  }),
)

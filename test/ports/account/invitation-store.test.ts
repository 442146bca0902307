import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Invitation } from '#core/team/invitation.ts'
import { eachDatabase } from '#test/support/database/databases.ts'
import { openStores } from '#test/support/database/stores.ts'
import { sampleTeam, sampleUser } from '#test/support/samples.ts'

eachDatabase((name, open) =>
  describe(`invitations on ${name}`, () => {
    const openTeam = async (t: Parameters<typeof openStores>[0]) => {
      const { stores, again } = await openStores(t, open)
      const user = sampleUser()
      const team = sampleTeam({ creatorId: user.id })
      await stores.users.insert(user)
      await stores.teams.insert(team, user.id)
      const invitation: Invitation = {
        ...{ id: 'i', teamId: team.id, email: 'jo@aloft.test', role: 'MEMBER', inviterId: user.id },
        ...{ createdAt: 10, expiresAt: 20 },
      }
      return { ...stores, again, invitation }
    }

    it('is found by its link, and listed until it expires', async (t) => {
      const { invitations, invitation } = await openTeam(t)
      await invitations.add(invitation, 'h')
      assert.deepEqual(await invitations.byHash('h'), invitation)
      assert.equal(await invitations.byHash('other'), undefined)
      assert.deepEqual(await invitations.ofTeam(invitation.teamId, 19), [invitation])
      assert.deepEqual(await invitations.ofTeam(invitation.teamId, 20), [])
      await invitations.prune(20)
      assert.equal(await invitations.byHash('h'), undefined)
    })

    it('takes the place of an earlier one of the same address', async (t) => {
      const { invitations, invitation } = await openTeam(t)
      await invitations.add(invitation, 'h')
      const later = { ...invitation, id: 'j', role: 'OWNER' as const, expiresAt: 30 }
      await invitations.add(later, 'k')
      assert.equal(await invitations.byHash('h'), undefined)
      assert.deepEqual(await invitations.ofTeam(invitation.teamId, 1), [later])
    })

    it('is taken once, and by its own team alone', async (t) => {
      const { invitations, invitation, again } = await openTeam(t)
      const { stores: elsewhere } = await again()
      await invitations.add(invitation, 'h')
      assert.equal(await invitations.take('team_other', invitation.id), false)
      const taken = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          (i % 2 ? invitations : elsewhere.invitations).take(invitation.teamId, invitation.id),
        ),
      )
      assert.equal(taken.filter(Boolean).length, 1)
    })
  }),
)

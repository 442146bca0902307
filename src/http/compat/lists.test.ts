import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountRows } from './account.ts'
import { deploymentRows } from './deployment.ts'
import type { CompatContext, CompatRow } from './row.ts'

const showOf = (rows: readonly CompatRow[], on: string) => {
  const { show } = rows.find((row) => row.on === on) ?? {}
  assert.ok(show, on)
  return show
}

/** Knows what a list asks for at once, and nothing that is asked for one by one. */
const alsoWith = (known: Partial<CompatContext>): CompatContext =>
  ({
    site: 'https://aloft.test',
    ctx: { actor: { user: { id: 'u', username: 'jo' } }, owner: { plan: 'hobby' } },
    findDeployment: () => assert.fail('a look-up for one row'),
    call: () => assert.fail('a look-up for one row'),
    ...known,
  }) as unknown as CompatContext

const listed = (uid: string) => ({ uid, created: 1, state: 'READY', creator: { uid: 'u' } })

it('looks up the times of all deployments of a page at once', async () => {
  const asked: (readonly string[])[] = []
  const also = alsoWith({
    async findDeployments(ids) {
      asked.push(ids)
      return new Map([['b', { buildingAt: 2, readyAt: 3 }]]) as never
    },
  })
  const show = showOf(deploymentRows, 'GET /v{3,4,5,6,7}{,/now}/deployments')
  const { deployments } = (await show({ deployments: [listed('a'), listed('b')] }, also)) as {
    deployments: { buildingAt?: number; ready?: number }[]
  }
  assert.deepEqual(asked, [['a', 'b']])
  assert.deepEqual(
    deployments.map(({ buildingAt, ready }) => [buildingAt, ready]),
    [
      [undefined, undefined],
      [2, 3],
    ],
  )
})

it('looks up the roles in all teams of a page at once', async () => {
  const asked: (readonly string[])[] = []
  const also = alsoWith({
    async rolesIn(ids) {
      asked.push(ids)
      return new Map([['t', 'OWNER']])
    },
  })
  const created = '2020-01-01T00:00:00.000Z'
  const { teams } = (await showOf(accountRows, 'GET /v2/teams')(
    {
      teams: [
        { id: 't', created },
        { id: 's', created },
      ],
    },
    also,
  )) as { teams: { membership: { role?: string } }[] }
  assert.deepEqual(asked, [['t', 's']])
  assert.deepEqual(
    teams.map(({ membership }) => membership.role),
    ['OWNER', undefined],
  )
})

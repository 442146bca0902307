import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { createInvitation, listInvitations, revokeInvitation } from '#contract/api/invitation.ts'
import { loginMethods } from '#contract/api/login.ts'
import {
  changeRole,
  createTeam,
  getTeam,
  inviteMember,
  listMembers,
  listTeams,
  removeMember,
} from '#contract/api/team.ts'
import { getUser } from '#contract/api/user.ts'
import { AloftError } from '#contract/errors.ts'
import { sampleUser, startMachine, TOKEN } from '../cli-testing.ts'
import { sampleTeam as acme } from './team-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const members = [
  { uid: 'u1', role: 'OWNER' as const, email: 'jo@example.com', username: 'jo' },
  { uid: 'u2', role: 'MEMBER' as const, email: 'kim@example.com', username: 'kim' },
]
const notYours = () => new AloftError('forbidden', 'You are not a member of this team, or it does not exist.')
const teams = [
  answers(listTeams, ({ query }) => {
    if (query.slug === undefined) return { teams: [acme], pagination: { count: 1, next: null, prev: null } }
    if (query.slug !== 'acme') throw notYours()
    return acme
  }),
  answers(getTeam, ({ params }) => {
    if (params.id !== acme.id) throw notYours()
    return acme
  }),
  answers(listMembers, () => members),
]

test('ls shows the teams, and an empty list how to make one', async () => {
  await using machine = await startMachine(...teams)
  const { stdout } = await machine.run(['teams', 'ls'], env)
  assert.match(stdout, /^SLUG +NAME +ID +CREATED\nacme +Acme Inc\. +team_a{24} +1d ago\n$/)

  await using fresh = await startMachine(
    answers(listTeams, () => ({ teams: [], pagination: { count: 0, next: null, prev: null } })),
  )
  const empty = await fresh.run(['teams', 'ls'], env)
  assert.equal(empty.stdout, '')
  assert.match(empty.stderr, /aloft teams create <slug>/)
})

test('create prints the id, and a taken slug leads to another', async () => {
  await using machine = await startMachine(
    answers(createTeam, ({ body }) => {
      if (body.slug === 'taken') throw new AloftError('slug_taken', 'The slug `taken` is taken.')
      assert.deepEqual(body, { slug: 'acme', name: 'Acme Inc.' })
      return { id: acme.id }
    }),
  )
  const good = await machine.run(['teams', 'create', 'acme', '--name', 'Acme Inc.'], env)
  assert.deepEqual([good.code, good.stdout], [0, `${acme.id}\n`])
  const taken = await machine.run(['teams', 'create', 'taken'], env)
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, /hint: Choose another slug/)
})

test('members are listed by the slug or the id of the team', async () => {
  await using machine = await startMachine(...teams)
  for (const team of ['acme', acme.id]) {
    const { stdout } = await machine.run(['teams', 'members', 'ls', '--team', team], env)
    assert.match(stdout, /^kim +kim@example\.com +MEMBER +u2$/m)
  }
})

test('a missing team is wrong usage, and one that is not yours exits with 3', async () => {
  await using machine = await startMachine(...teams)
  const missing = await machine.run(['teams', 'members', 'ls'], env)
  assert.equal(missing.code, 2)
  assert.match(missing.stderr, /--team <id or slug>/)
  const foreign = await machine.run(['teams', 'members', 'ls', '--team', 'other'], env)
  assert.equal(foreign.code, 3)
  assert.match(foreign.stderr, /not a member of "other".*\n {2}hint: See your teams/)
})

test('add names a role when asked to, and who has no account is invited by mail', async () => {
  let mail = true
  await using machine = await startMachine(
    ...teams,
    answers(inviteMember, ({ params, body }) => {
      assert.equal(params.id, acme.id)
      if (body.email !== 'kim@example.com') throw new AloftError('user_not_found', 'No account has it.')
      assert.equal(body.role, 'OWNER')
      return { uid: 'u2', username: 'kim' }
    }),
    answers(createInvitation, ({ body: { email, role = 'MEMBER' } }) => ({
      ...{ id: 'req_1', email, role, createdAt: Date.now(), expiresAt: Date.now() + 7 * 86_400_000 },
    })),
    answers(loginMethods, () => ({ mail, approveUrl: 'http://localhost/login/approve' })),
    answers(listInvitations, () => ({
      invitations: [
        { id: 'req_1', email: 'who@example.com', role: 'OWNER' as const, createdAt: 1, expiresAt: 2 },
      ],
    })),
    answers(revokeInvitation, ({ params }) => ({ id: params.invitationId as string })),
  )
  const add = (email: string) =>
    machine.run(['teams', 'members', 'add', email, '--role', 'owner', '--team', 'acme'], env)
  assert.equal((await add('kim@example.com')).stdout, 'kim is now a member of acme.\n')
  const unknown = await add('who@example.com')
  assert.equal(unknown.stdout, 'Invited who@example.com by email; the link expires in 7d.\n')
  mail = false
  assert.match((await add('who@example.com')).stdout, /no mail server .* printed in its terminal/)
  const on = (...line: string[]) => machine.run(['teams', 'invitations', ...line, '--team', 'acme'], env)
  assert.match((await on('ls')).stdout, /^who@example\.com +OWNER .* req_1$/m)
  assert.equal((await on('rm', 'who@example.com')).stdout, 'Withdrew the invitation for who@example.com.\n')
  assert.match((await on('rm', 'no@example.com')).stderr, /There is no invitation for no@example\.com/)
})

test('a role is changed by address, username or id', async () => {
  await using machine = await startMachine(
    ...teams,
    answers(changeRole, ({ params, body }) => {
      assert.deepEqual([params, body], [{ id: acme.id, userId: 'u2' }, { role: 'OWNER' }])
      return undefined
    }),
  )
  for (const who of ['KIM@example.com', 'kim', 'u2']) {
    const line = ['teams', 'members', 'role', who, 'owner', '--team', 'acme']
    assert.equal((await machine.run(line, env)).stdout, 'kim is now OWNER of acme.\n')
  }
  const unknown = await machine.run(['teams', 'members', 'role', 'who', 'owner', '--team', 'acme'], env)
  assert.equal(unknown.code, 4)
  const wrong = await machine.run(['teams', 'members', 'role', 'kim', 'king', '--team', 'acme'], env)
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /<role>: "king" should be one of OWNER, MEMBER/)
})

test('rm asks first, and removes with --yes', async () => {
  await using machine = await startMachine(
    ...teams,
    answers(removeMember, () => ({ id: acme.id })),
  )
  const line = ['teams', 'members', 'rm', 'kim', '--team', 'acme']
  assert.equal((await machine.run(line, env)).code, 2)
  assert.ok(machine.api.requests.every(({ method }) => method === 'GET'))
  assert.equal((await machine.run([...line, '--yes'], env)).stdout, 'kim left acme.\n')
  assert.equal(machine.api.requests.at(-1)?.path, `/v1/teams/${acme.id}/members/u2`)
})

test('whoami acts for the team that is named', async () => {
  await using machine = await startMachine(
    ...teams,
    answers(getUser, ({ query }) => {
      assert.deepEqual(query, { teamId: acme.id })
      return { user: sampleUser }
    }),
  )
  const { stdout } = await machine.run(['whoami', '--team', 'acme'], env)
  assert.match(stdout, /^team +acme \(team_a+\)$/m)
})

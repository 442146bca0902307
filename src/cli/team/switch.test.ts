import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { listDeployments } from '#contract/api/deployment.ts'
import { listProjects } from '#contract/api/project.ts'
import { getTeam, listTeams, updateTeam } from '#contract/api/team.ts'
import { getUser } from '#contract/api/user.ts'
import { AloftError } from '#contract/errors.ts'
import { Redacted } from '#contract/redacted.ts'
import { sampleUser, startMachine, type TestMachine, TOKEN } from '../cli-testing.ts'
import { authPath, openAuthFile } from '../config/auth-file.ts'
import { sampleTeam as acme } from './team-testing.ts'

const pagination = { count: 0, next: null, prev: null }

async function startOffice(): Promise<TestMachine> {
  const machine = await startMachine(
    answers(listTeams, ({ query }) => {
      if (query.slug !== 'acme') throw new AloftError('forbidden', 'You are not a member of this team.')
      return acme
    }),
    answers(getTeam, () => acme),
    answers(updateTeam, ({ body }) => ({ ...acme, creator_id: 'u1', slug: body.slug ?? acme.slug })),
    answers(getUser, () => ({ user: sampleUser })),
    answers(listProjects, ({ query }) => {
      if (query.search === 'left') throw new AloftError('forbidden', 'You are not a member of this team.')
      return { projects: [], pagination }
    }),
    answers(listDeployments, () => ({ deployments: [], pagination })),
  )
  openAuthFile(authPath({ HOME: machine.home })).save(machine.api.baseUrl, {
    email: 'jo@example.com',
    token: new Redacted(TOKEN),
  })
  return machine
}

const actedFor = ({ api }: TestMachine) => api.requests.at(-1)?.query.teamId

test('a team that was switched to is acted for, until it is switched back', async () => {
  await using machine = await startOffice()
  assert.equal((await machine.run(['teams', 'switch'])).stdout, 'your personal account\n')
  assert.equal((await machine.run(['teams', 'switch', 'acme'])).stdout, 'Now using the team acme.\n')
  assert.equal((await machine.run(['team', 'switch'])).stdout, 'acme\n')
  await machine.run(['projects', 'ls'])
  assert.equal(actedFor(machine), acme.id)
  assert.match((await machine.run(['whoami'])).stdout, /^team +acme \(team_a+\), by teams switch$/m)

  await machine.run(['projects', 'ls', '--personal'])
  assert.equal(actedFor(machine), undefined)
  // What was switched belongs to the login, not to whoever else has a token.
  await machine.run(['projects', 'ls'], { ALOFT_TOKEN: 'another0123456789abcdef' })
  assert.equal(actedFor(machine), undefined)

  const back = await machine.run(['teams', 'switch', '--personal', '--json'])
  assert.deepEqual(JSON.parse(back.stdout), { team: null })
  await machine.run(['projects', 'ls'])
  assert.equal(actedFor(machine), undefined)
})

test('the link of a folder comes before the team that was switched to', async () => {
  await using machine = await startOffice()
  await machine.run(['teams', 'switch', 'acme'])
  const link = (teamId: string | null) => machine.link({ projectId: 'prj_1', teamId })
  link(null)
  await machine.run(['ls'])
  assert.equal(actedFor(machine), undefined)
  link('team_linked')
  await machine.run(['ls'])
  assert.equal(actedFor(machine), 'team_linked')
  await machine.run(['ls', '--personal'])
  assert.equal(actedFor(machine), undefined)
  await machine.run(['ls', '--team', 'acme'])
  assert.equal(actedFor(machine), acme.id)
})

test('the link of a folder names no project of another account', async () => {
  await using machine = await startOffice()
  const link = (teamId: string | null) => machine.link({ projectId: 'prj_1', teamId })
  const listed = async (...more: readonly string[]) => {
    await machine.run(['ls', ...more])
    return machine.api.requests.at(-1)?.query
  }
  link(null)
  assert.deepEqual(await listed('--personal'), { projectId: 'prj_1' })
  assert.deepEqual(await listed('--team', 'acme'), { teamId: acme.id })
  link(acme.id)
  assert.deepEqual(await listed('--team', 'acme'), { teamId: acme.id, projectId: 'prj_1' })
  assert.deepEqual(await listed('--personal'), {})
  const { code, stderr } = await machine.run(['env', 'ls', '--personal'])
  assert.equal(code, 2)
  assert.match(stderr, /linked to one of another account/)
  assert.match((await machine.run(['rollback', '--personal'])).stderr, /project of this account/)
  assert.match((await machine.run(['logs', '--personal'])).stderr, /project of this account/)
})

test('what cannot be switched says why, and changes nothing', async () => {
  await using machine = await startOffice()
  assert.equal((await machine.run(['teams', 'switch', 'other'])).code, 3)
  assert.equal((await machine.run(['teams', 'switch', 'acme', '--personal'])).code, 2)
  assert.equal((await machine.run(['ls', '--team', 'acme', '--personal'])).code, 2)
  const named = await machine.run(['teams', 'switch', 'acme'], { ALOFT_TOKEN: TOKEN })
  assert.equal(named.code, 2)
  assert.match(named.stderr, /ALOFT_TOKEN is used instead/)
  assert.equal((await machine.run(['teams', 'switch'])).stdout, 'your personal account\n')
})

test('who left the team is told how to go back to their own account', async () => {
  await using machine = await startOffice()
  await machine.run(['teams', 'switch', 'acme'])
  const { code, stderr } = await machine.run(['projects', 'ls', '--search', 'left'])
  assert.equal(code, 3)
  assert.match(stderr, /hint: You are using the team acme./)
})

test('set changes the team, and the name under which it was switched to', async () => {
  await using machine = await startOffice()
  await machine.run(['teams', 'switch', 'acme'])
  const line = ['teams', 'set', '--slug', 'acme-2', '--members-may-edit-production', 'off']
  assert.equal((await machine.run(line)).stdout, 'Changed acme-2.\n')
  assert.deepEqual(machine.api.requests.at(-1)?.body, { slug: 'acme-2', membersMayEditProduction: false })
  assert.equal((await machine.run(['teams', 'switch'])).stdout, 'acme-2\n')
  assert.equal((await machine.run(['teams', 'set'])).code, 2)
})

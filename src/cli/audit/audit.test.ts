import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { readAuditLog } from '#contract/api/audit.ts'
import { listMembers, listTeams } from '#contract/api/team.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleTeam as acme } from '../team/team-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const entry = {
  id: 'aud_1',
  at: Date.now() - 86_400_000,
  user: { id: 'u1', username: 'jo' },
  via: { kind: 'account', id: 'x', name: 'ci' },
  action: 'DELETE /v9/projects/:idOrName',
  target: { idOrName: 'shop' },
  ip: '192.0.2.1',
  userAgent: 'curl',
  requestId: 'req_1',
}

test('changes are listed with who made them, by what and from where', async () => {
  await using machine = await startMachine(
    answers(readAuditLog, () => ({ entries: [entry], pagination: { count: 1, next: 7, prev: null } })),
  )
  const { stdout, stderr } = await machine.run(['audit', 'ls', '--action', 'DELETE', '--limit', '1'], env)
  assert.match(stdout, /^1d ago +jo deleted the project shop +Token ci +192\.0\.2\.1$/m)
  assert.match(stderr, /aloft audit ls --action "DELETE" --until 7/)
  assert.deepEqual(machine.api.requests.at(-1)?.query, { limit: '1', action: 'DELETE' })
})

test('a member of a team is found by their address', async () => {
  await using machine = await startMachine(
    answers(listTeams, () => acme),
    answers(listMembers, () => [
      { uid: 'u2', role: 'MEMBER' as const, email: 'kim@example.com', username: 'kim' },
    ]),
    answers(readAuditLog, () => ({ entries: [], pagination: { count: 0, next: null, prev: null } })),
  )
  const line = ['audit', 'ls', '--team', 'acme', '--user']
  assert.equal((await machine.run([...line, 'kim@example.com'], env)).code, 0)
  assert.deepEqual(machine.api.requests.at(-1)?.query, { teamId: acme.id, userId: 'u2' })
  assert.equal((await machine.run([...line, 'who@example.com'], env)).code, 4)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { assignAlias, deleteAlias, listAliases, listDeploymentAliases } from '#contract/api/alias.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const created = new Date(Date.now() - 86_400_000).toISOString()
const alias = {
  uid: 'ali_1',
  alias: 'shop.example.com',
  created,
  deployment: { id: 'dpl_1', url: 'shop-a1b2c3.aloft.test' },
  deploymentId: 'dpl_1',
  projectId: 'prj_1',
  rules: [],
}

const machine = await startMachine(
  answers(listAliases, ({ query }) => ({
    aliases: query.domain === 'none.com' ? [] : [alias],
    pagination: { count: 1, next: 1700000000000, prev: null },
  })),
  answers(listDeploymentAliases, ({ params }) => ({
    aliases: params.id === 'dpl_1' ? [{ uid: 'ali_1', alias: 'shop.example.com', created }] : [],
  })),
  answers(assignAlias, ({ params, body }) => {
    if (params.id === 'dpl_none')
      throw new AloftError('deployment_not_found', 'There is no deployment `dpl_none`.')
    return { uid: 'ali_1', created, ...(body.alias === 'old.example.com' ? { oldId: 'dpl_0' } : {}) }
  }),
  answers(deleteAlias, () => ({ status: 'SUCCESS' as const })),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (...line: readonly string[]) => machine.run(['alias', ...line], env)

test('ls shows where aliases lead, and how to go on', async () => {
  const { stdout, stderr } = await aloft('ls')
  assert.match(
    stdout,
    /^ALIAS +DEPLOYMENT +CREATED +ID\nshop\.example\.com +shop-a1b2c3\.aloft\.test +1d ago +ali_1\n$/,
  )
  assert.match(stderr, /aloft alias ls --until 1700000000000/)
  const some = await aloft('ls', '--domain', 'example.com')
  assert.match(some.stderr, /aloft alias ls --domain example\.com --until 1700000000000/)
  const none = await aloft('ls', '--domain', 'none.com')
  assert.equal(none.stdout, '')
  assert.match(none.stderr, /aloft alias set <deployment> <alias>/)
})

test('set takes addresses as they are copied from a browser, and tells what was shown before', async () => {
  const { stdout } = await aloft('set', 'https://shop-a1b2c3.aloft.test/path?x', 'https://old.example.com/')
  assert.equal(stdout, 'old.example.com now points at shop-a1b2c3.aloft.test instead of dpl_0.\n')
  const seen = machine.api.requests.at(-1)
  assert.deepEqual([seen?.params.id, seen?.body], ['shop-a1b2c3.aloft.test', { alias: 'old.example.com' }])
  const json = await aloft('set', 'dpl_1', 'new.example.com', '--json')
  assert.deepEqual(JSON.parse(json.stdout), {
    uid: 'ali_1',
    created,
    alias: 'new.example.com',
    deployment: 'dpl_1',
  })
  const unknown = await aloft('set', 'dpl_none', 'new.example.com')
  assert.equal(unknown.code, 4)
  assert.match(unknown.stderr, /hint: See your deployments/)
})

test('rm asks first', async () => {
  assert.equal((await aloft('rm', 'shop.example.com')).code, 2)
  assert.ok(machine.api.requests.every(({ method }) => method !== 'DELETE'))
  assert.equal(
    (await aloft('rm', 'shop.example.com', '--yes')).stdout,
    'Removed the alias shop.example.com.\n',
  )
})

test('ls of a deployment shows what leads to it', async () => {
  const { stdout } = await aloft('ls', '--deployment', 'dpl_1')
  assert.match(stdout, /^shop\.example\.com +1d ago +ali_1$/m)
  assert.match((await aloft('ls', '--deployment', 'dpl_2')).stderr, /aloft alias set dpl_2 <alias>/)
  assert.equal((await aloft('ls', '--deployment', 'dpl_1', '--domain', 'example.com')).code, 2)
})

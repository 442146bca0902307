import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { getProject } from '#contract/api/project.ts'
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  updateWebhook,
} from '#contract/api/webhook.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject } from '../project/project-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const at = Date.now() - 86_400_000
const webhook = {
  id: 'hook_1',
  url: 'https://example.com/hook',
  events: ['deployment.ready'],
  ownerId: 'u1',
  createdAt: at,
  updatedAt: at,
}
const delivery = {
  id: 'whd_1',
  eventId: 'evt_1',
  type: 'deployment.ready',
  state: 'failed',
  createdAt: at,
  attempts: [{ at, ms: 12, status: 500, answer: 'oops' }],
}

const machine = await startMachine(
  answers(listWebhooks, () => [webhook, { ...webhook, id: 'hook_2', disabledAt: at }]),
  answers(getWebhook, ({ params }) => {
    if (params.id !== 'hook_1') throw new AloftError('not_found', 'There is no such webhook.')
    return webhook
  }),
  answers(createWebhook, ({ body }) => ({ ...webhook, events: body.events, secret: 'whsec_abc' })),
  answers(getProject, ({ params }) => ({ ...sampleProject, id: `prj_${params.idOrName}` })),
  answers(deleteWebhook, () => undefined),
  answers(listDeliveries, () => ({
    deliveries: [delivery],
    pagination: { count: 1, next: null, prev: null },
  })),
  answers(updateWebhook, ({ body }) => ({ ...webhook, url: body.url ?? webhook.url })),
  answers(getDelivery, () => ({ ...delivery, request: { url: webhook.url, body: '{"id":"evt_1"}' } })),
  answers(redeliver, () => ({ ...delivery, state: 'waiting' })),
)
after(() => machine[Symbol.asyncDispose]())
const aloft = (...line: readonly string[]) => machine.run(['webhooks', ...line], env)

test('ls tells those apart that were given up', async () => {
  const { stdout } = await aloft('ls')
  assert.match(stdout, /^hook_1 +https:\/\/example\.com\/hook +deployment\.ready +on +1d ago$/m)
  assert.match(stdout, /^hook_2 .* disabled /m)
})

test('add takes many events and prints the secret, this once', async () => {
  const { stdout, stderr } = await aloft('add', webhook.url, 'deployment.ready', 'deployment.error')
  assert.equal(stdout, 'whsec_abc\n')
  assert.match(stderr, /shown only once/)
  assert.deepEqual(machine.api.requests.at(-1)?.body, {
    url: webhook.url,
    events: ['deployment.ready', 'deployment.error'],
  })
  assert.equal((await aloft('add', webhook.url)).code, 2)
  await aloft('add', webhook.url, 'deployment.ready', '--project', 'shop', '--project', 'blog')
  assert.deepEqual(machine.api.requests.at(-1)?.body, {
    url: webhook.url,
    events: ['deployment.ready'],
    projectIds: ['prj_shop', 'prj_blog'],
  })
})

test('deliveries and redeliver', async () => {
  const { stdout } = await aloft('deliveries', 'hook_1')
  assert.match(stdout, /^whd_1 +deployment\.ready +failed +1 +500 +1d ago$/m)
  assert.equal((await aloft('redeliver', 'hook_1', 'whd_1')).stdout, 'deployment.ready will be sent again.\n')
  assert.equal(machine.api.requests.at(-1)?.path, '/v1/webhooks/hook_1/deliveries/whd_1/redeliver')
})

test('rm asks first', async () => {
  assert.equal((await aloft('rm', 'hook_1')).code, 2)
  assert.equal((await aloft('rm', 'hook_1', '--yes')).stdout, `Removed the webhook to ${webhook.url}.\n`)
  assert.equal((await aloft('rm', 'hook_9', '--yes')).code, 4)
})

test('set sends what was named alone, and delivery shows what was sent', async () => {
  assert.match((await aloft('set', 'hook_1', '--enabled', 'on')).stdout, /^Changed the webhook to https/)
  assert.deepEqual(machine.api.requests.at(-1)?.body, { enabled: true })
  await aloft('set', 'hook_1', '--event', 'project.created', '--project', 'shop')
  assert.deepEqual(machine.api.requests.at(-1)?.body, {
    events: ['project.created'],
    projectIds: ['prj_shop'],
  })
  await aloft('set', 'hook_1', '--all-projects')
  assert.deepEqual(machine.api.requests.at(-1)?.body, { projectIds: null })
  for (const line of [[], ['--all-projects', '--project', 'shop'], ['--enabled', 'maybe']])
    assert.equal((await aloft('set', 'hook_1', ...line)).code, 2)

  const { stdout } = await aloft('delivery', 'hook_1', 'whd_1')
  assert.match(stdout, /^\{"id":"evt_1"\}$/m)
  assert.match(stdout, /^1d ago +12 ms +500 +oops$/m)
})

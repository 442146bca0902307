import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrange, type Order, statusOf } from './arrange.ts'

const project = (name: string, state?: string, more: object = {}) => ({
  id: name,
  name,
  latestDeployments: state === undefined ? [] : [{ readyState: state }],
  paused: false,
  lastRollbackTarget: null,
  ...more,
})
const ALL = [
  project('docs', 'READY'),
  project('shop', 'ERROR'),
  project('blog', 'BUILDING'),
  project('api', 'READY', { paused: true }),
  project('old', 'READY', { lastRollbackTarget: {} }),
  project('new'),
  project('cancelled', 'ERROR', { latestDeployments: [{ readyState: 'ERROR', errorCode: 'canceled' }] }),
] as unknown as Parameters<typeof statusOf>[0][]

const names = (order: Order, status = '', pinned: readonly string[] = []) =>
  arrange(ALL, { order, status, pinned, requests: (id) => id.length }).map(({ name }) => name)

test('a project has one status, the one that needs somebody most', () => {
  assert.deepEqual(ALL.map(statusOf), ['ready', 'failed', 'building', 'paused', 'held', 'empty', 'ready'])
})

test('failing projects come first, pinned ones before them, and the rest stays as it was', () => {
  assert.deepEqual(names('failing'), ['shop', 'docs', 'blog', 'api', 'old', 'new', 'cancelled'])
  assert.deepEqual(names('failing', '', ['old']), ['old', 'shop', 'docs', 'blog', 'api', 'new', 'cancelled'])
  assert.deepEqual(names('name').slice(0, 2), ['api', 'blog'])
  assert.deepEqual(
    names('changed'),
    ALL.map(({ name }) => name),
  )
})

test('projects are filtered by status', () => {
  assert.deepEqual(names('failing', 'failed'), ['shop'])
  assert.deepEqual(names('failing', 'paused', ['shop']), ['api'])
})

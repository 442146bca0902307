import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Site, SiteFunction } from '#core/site/site.ts'
import { createSiteEntry } from '../site/site-entry.ts'
import { HotAnswers } from './hot-answers.ts'

const site: Site = {
  host: 'site.test',
  deploymentId: 'dpl_1',
  projectId: 'prj_1',
  ownerId: 'owner_1',
  environment: 'production',
  status: 'ready',
  files: new Map([
    ['index.html', { sha256: 'a'.repeat(64), size: 1 }],
    ['a b', { sha256: 'b'.repeat(64), size: 1 }],
  ]),
  routes: [
    { src: '/echo/(.*)', dest: '/index.html', headers: { 'x-path': '$1' } },
    { src: '/error', dest: '/index.html', status: 500 },
    { handle: 'filesystem' },
    { src: '/(app|\\.well-known)/.*', dest: '/index.html' },
  ],
  functions: new Map(),
  directoryListing: false,
  sessionAffinity: 'random',
  routesFrom: 'request',
}

test('paths that get the same answer share it, and those that do not have their own', () => {
  const hot = new HotAnswers(1_000_000)
  const entry = createSiteEntry(site, 0)
  const answer = hot.find(entry, '/')
  assert.ok(answer)
  assert.equal(hot.find(entry, '/app/1'), answer)
  assert.equal(hot.find(entry, '/app/2'), answer)
  assert.notEqual(hot.find(entry, '/echo/1'), hot.find(entry, '/echo/2'))
  assert.equal(hot.find(entry, '/echo/1'), hot.find(entry, '/echo/1'))
  assert.equal(entry.answers.size, 5)
  assert.equal(entry.shares.size, 3)
})

test('what is forgotten leaves nothing behind', () => {
  const hot = new HotAnswers(10_000)
  const entry = createSiteEntry(site, 0)
  for (let i = 0; i < 100; i++) assert.ok(hot.find(entry, `/echo/${i}`) && hot.find(entry, `/app/${i}`))
  assert.ok(entry.answers.size <= 4)
  assert.ok(entry.shares.size <= 4)
  hot.clear()
  assert.equal(entry.answers.size, 0)
  assert.equal(entry.shares.size, 0)
})

test('only plain spellings of paths to files are remembered', () => {
  const hot = new HotAnswers(1_000_000)
  const entry = createSiteEntry(site, 0)
  for (const path of [
    '/nope',
    '/error',
    '/a b',
    '/a%20b',
    '//',
    '/./',
    '/x/..',
    '/index.html?x',
    'index.html',
    '',
  ])
    assert.equal(hot.find(entry, path), undefined, path)
  assert.equal(entry.answers.size, 0)
})

test('what certificate authorities may ask for is never remembered', () => {
  const hot = new HotAnswers(1_000_000)
  const entry = createSiteEntry(site, 0)
  assert.ok(hot.find(entry, '/.well-known/other'))
  assert.equal(hot.find(entry, '/.well-known/acme-challenge/token'), undefined)
  assert.equal(entry.answers.size, 1)
})

test('the function of a path is remembered for requests without a query, and forgotten with the rest', () => {
  const fn: SiteFunction = { program: 'p', path: 'api/hello.js', shape: 'handler', maxDuration: 10 }
  const hot = new HotAnswers(1_000_000)
  const entry = createSiteEntry({ ...site, routes: [], functions: new Map([['api/hello', fn]]) }, 0)
  const found = hot.findAny(entry, '/api/hello', '')
  assert.ok(found && 'kind' in found && found.target === fn)
  assert.equal(hot.findAny(entry, '/api/hello', ''), found)
  assert.equal(hot.get(entry, '/api/hello'), undefined, 'it is no file')
  const asked = hot.findAny(entry, '/api/hello', 'a=1')
  assert.ok(asked && 'kind' in asked && asked.query === 'a=1' && asked.asked.query === 'a=1')
  assert.equal(entry.answers.size, 1)
  hot.clear()
  assert.equal(entry.answers.size, 0)
  assert.notEqual(hot.findAny(entry, '/api/hello', ''), found)
})

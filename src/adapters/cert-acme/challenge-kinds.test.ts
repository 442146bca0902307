import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindsFor, kindsLeft } from './challenge-kinds.ts'

const served = async () => true
const foreign = async () => false

test('a name is shown over HTTP first, and by DNS only where we answer for it', async () => {
  assert.deepEqual(await kindsFor('a.test', ['a.test'], foreign), ['http-01', 'tls-alpn-01'])
  assert.deepEqual(await kindsFor('a.test', ['a.test'], served), ['http-01', 'tls-alpn-01', 'dns-01'])
})

test('a wildcard, and the name above it in the same order, are shown by DNS', async () => {
  const names = ['*.a.test', 'a.test', 'www.a.test']
  const zones: string[] = []
  const serves = async (name: string) => zones.push(name) > 0
  assert.deepEqual(await kindsFor('*.a.test', names, serves), ['dns-01'])
  assert.deepEqual(zones, ['a.test'])
  assert.deepEqual(await kindsFor('a.test', names, served), ['dns-01', 'http-01', 'tls-alpn-01'])
  assert.deepEqual(await kindsFor('www.a.test', names, served), ['http-01', 'tls-alpn-01', 'dns-01'])
  assert.deepEqual(await kindsFor('*.a.test', names, foreign), [])
})

test('after a refusal there are the other ways, unless they would be in vain', () => {
  const all = ['http-01', 'tls-alpn-01', 'dns-01'] as const
  assert.deepEqual(kindsLeft(all, 'http-01', 'unauthorized'), ['tls-alpn-01', 'dns-01'])
  assert.deepEqual(kindsLeft(all, 'http-01', 'dns'), ['dns-01'])
  assert.deepEqual(kindsLeft(all, 'dns-01', 'dns'), [])
  assert.deepEqual(kindsLeft(all, 'http-01', 'caa'), [])
  assert.deepEqual(kindsLeft(['dns-01'], 'dns-01', 'connection'), [])
})

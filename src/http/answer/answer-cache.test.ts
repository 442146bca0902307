import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { getDeployment } from '#contract/api/deployment.ts'
import type { Context } from '#core/access/context.ts'
import type { Allowance, Limits } from '../limits.ts'
import { AnswerCache } from './answer-cache.ts'

const ALLOWED: Allowance = { allowed: true, total: 10, remaining: 9, resetAt: 1000 }

const who = { owner: { id: 'u', plan: 'pro' }, actor: { token: { activeAt: 0, expiresAt: null } } } as Context

const ask = (headers: Record<string, string> = {}, method = 'GET'): IncomingMessage =>
  ({ method, url: '/x', headers: { authorization: 'Bearer t', ...headers } }) as unknown as IncomingMessage

function open(take: () => Allowance | Promise<Allowance> = () => ALLOWED) {
  const data = { version: 1 as number | undefined, fails: false }
  const kept = new AnswerCache({
    version: () => {
      if (data.fails) throw new Error('the disk fails')
      return data.version
    },
    limits: { take } as unknown as Limits,
    clock: { now: () => 1 } as never,
    site: 'http://aloft.test',
    newId: () => 'req_1',
    onAnswered() {},
  })
  const keep = (text: string, version = 1) => kept.keep(version, ask(), getDeployment, who, text)
  function answerTo(req = ask()) {
    const sent: { body?: string } = {}
    const end = (body: string) => {
      sent.body = body
    }
    const res = { statusCode: 200, writeHead: () => res, end }
    let isElsewhere = false
    const otherwise = () => {
      isElsewhere = true
    }
    const isAnswered = kept.answer(req, res as unknown as ServerResponse, otherwise)
    return { isAnswered, sent, isElsewhere: () => isElsewhere }
  }
  return { data, keep, answerTo }
}

test('sends again what was answered, until anything is written', () => {
  const { data, keep, answerTo } = open()
  assert.equal(answerTo().isAnswered, false)
  keep('{"a":"ä"}')
  assert.equal(answerTo().sent.body, '{"a":"ä"}')
  data.version = 2
  assert.equal(answerTo().isAnswered, false)
  data.version = 1
  assert.equal(answerTo().isAnswered, false, 'it is forgotten for good')
})

test('keeps nothing for which something was written while it was read', () => {
  const { data, keep, answerTo } = open()
  data.version = 2
  keep('{}', 1)
  assert.equal(answerTo().isAnswered, false)
})

test('keeps nothing where nobody can tell whether something was written', () => {
  const { data, keep, answerTo } = open()
  keep('{}')
  data.version = undefined
  assert.equal(answerTo().isAnswered, false)
})

test('keeps nothing while the database fails, and leaves it to others to say so', () => {
  const { data, keep, answerTo } = open()
  keep('{}')
  data.fails = true
  assert.equal(answerTo().isAnswered, false)
  keep('{}')
  data.fails = false
  assert.equal(answerTo().isAnswered, false)
})

test('leaves alone what has a body, another method or another token', () => {
  const { keep, answerTo } = open()
  keep('{}')
  const others = [
    ask({ 'content-length': '1' }),
    ask({ 'transfer-encoding': 'chunked' }),
    ask({}, 'HEAD'),
    ask({ authorization: 'Bearer u' }),
  ]
  for (const other of others) assert.equal(answerTo(other).isAnswered, false)
  assert.equal(answerTo().isAnswered, true)
})

test('waits for whoever counts, and leaves the rest to others when that fails', async () => {
  const counted = open(async () => ALLOWED)
  counted.keep('{}')
  const answer = counted.answerTo()
  assert.deepEqual([answer.isAnswered, answer.sent.body], [true, undefined])
  await new Promise(setImmediate)
  assert.equal(answer.sent.body, '{}')

  const failing = open(() => Promise.reject(new Error('nobody counts')))
  failing.keep('{}')
  const failed = failing.answerTo()
  await new Promise(setImmediate)
  assert.equal(failed.isElsewhere(), true)
})

test('does not grow without bound', () => {
  const { keep, answerTo } = open()
  keep('x'.repeat(65 * 1024))
  assert.equal(answerTo().isAnswered, false, 'what is too large is not kept')
  for (let n = 0; n < 200; n++) keep('x'.repeat(60 * 1024))
  assert.equal(answerTo().isAnswered, true)
})

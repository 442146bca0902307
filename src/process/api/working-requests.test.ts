import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyRequest } from '#core/http-message.ts'
import { createWorkingRequests } from './working-requests.ts'

const ask = (on: string, headers: Record<string, string> = {}) => {
  const [method, url] = on.split(' ')
  return { method, url, headers, socket: { remoteAddress: '192.0.2.1' } } as unknown as AnyRequest
}

test('what is large is answered elsewhere, whoever asks', () => {
  const { isElsewhere } = createWorkingRequests()
  const large = { 'content-length': '5000000' }
  assert.equal(isElsewhere(ask('POST /v8/platform/deployments?forceNew=1', large)), true)
  const chunked = { 'transfer-encoding': 'chunked' }
  assert.equal(isElsewhere(ask('POST /v8/platform/deployments', chunked)), true, 'of unknown length')
  assert.equal(isElsewhere(ask('POST /v1/git/called/prj_1/token', large)), true)
  assert.equal(isElsewhere(ask('PATCH /v1/projects/p', large)), true)
  assert.equal(isElsewhere(ask('POST /v8/platform/deployments', { 'content-length': '500' })), false)
  assert.equal(isElsewhere(ask('POST /v2/platform/files', large)), false, 'it only passes through')
  assert.equal(isElsewhere(ask('GET /v5/platform/deployments/dpl_1/files')), true)
  assert.equal(isElsewhere(ask('GET /v5/platform/deployments/dpl_1/files/abc')), false)
})

test('however its address is written', () => {
  const { isElsewhere, noteVisit } = createWorkingRequests()
  noteVisit(0)
  for (const on of [
    'GET /v6/now/deployments/dpl_1/files?teamId=t',
    'GET /v5/platform/deployments/dpl_1/file%73/',
    'GET http://aloft.test/v5/platform/deployments/dpl_1/files',
    'GET /v6/deployments/dpl_1/files',
    'HEAD /v5/platform/deployments/dpl_1/files/',
    'GET /v5/platform/deployments/a%2fb/files',
    'GET /v7/deployments/dpl_1/files/abc',
    'GET /v3/now/deployments/d/events?q=x',
    'GET /v3/deployments/d/e%76ents?q=x',
    'GET /v2/platform/deployments/d/events?q=x&follow=0',
  ])
    assert.equal(isElsewhere(ask(on)), true, on)
  for (const on of ['GET /v13/deployments/dpl_1', 'GET /v13/deployments/%', 'GET /'])
    assert.equal(isElsewhere(ask(on)), false, on)
})

test('files of deployments and batches of files are dealt with elsewhere while others visit sites', () => {
  const { isElsewhere, noteVisit } = createWorkingRequests()
  const file = ask('GET /v5/platform/deployments/dpl_1/files/abc')
  const batch = (length: string) => ask('POST /v1/platform/files/batch', { 'content-length': length })
  for (const req of [file, batch('2000000')]) assert.equal(isElsewhere(req), false)
  noteVisit(0)
  for (const req of [file, batch('2000000')]) assert.equal(isElsewhere(req), true)
  assert.equal(isElsewhere(batch('2000')), false)
})

test('what a program is started for is answered elsewhere: it would stop this process while it begins', () => {
  const { isElsewhere } = createWorkingRequests()
  for (const on of [
    'GET /git/ada/shop.git/info/refs?service=git-upload-pack',
    'POST /git/ada/shop.git/git-upload-pack',
    'POST /git/ada/shop.git/git-receive-pack',
    'POST /v1/git/inspect?teamId=team_1',
    'PUT /v1/projects/shop/git',
  ])
    assert.equal(isElsewhere(ask(on)), true, on)
  for (const on of [
    'GET /git/ada/shop.git',
    'GET /v1/projects/shop/git',
    'POST /git/ada/shop.git/info/lfs/objects/batch',
    'GET /v1/git/connections',
    'POST /v1/git/called/prj_1/token',
  ])
    assert.equal(isElsewhere(ask(on)), false, on)
})

test('whoever asks again and again is answered elsewhere while others visit sites', () => {
  let now = 0
  const { isElsewhere, noteVisit } = createWorkingRequests({ now: () => now })
  const list = (token: string) => isElsewhere(ask('GET /v3/platform/deployments', { authorization: token }))
  for (let i = 0; i < 100; i++) assert.equal(list('busy'), false, 'nobody else is there')
  noteVisit(0)
  assert.equal(list('busy'), true)
  assert.equal(list('quiet'), false)
  const upload = (length: string) =>
    isElsewhere(ask('POST /v2/platform/files', { authorization: 'busy', 'content-length': length }))
  assert.equal(upload('4096'), true)
  assert.equal(upload('5000000'), false, 'it only passes through')
  const stream = ask('GET /v2/platform/deployments/d/events?follow=1', { authorization: 'busy' })
  assert.equal(isElsewhere(stream), false)
  assert.equal(isElsewhere(ask('GET /v1/changes', { authorization: 'busy' })), false)
  const noStream = { authorization: 'busy', accept: 'text/event-stream' }
  assert.equal(isElsewhere(ask('GET /v3/platform/deployments?follow=1', noStream)), true, 'it has an end')
  now = 1100
  assert.equal(list('busy'), true, 'a second later as well')
  now = 2300
  assert.equal(list('busy'), false, 'it has become quiet, and so have the sites')
})

test('logs and analytics are read elsewhere while others visit sites, and followed here', () => {
  const { isElsewhere, noteVisit } = createWorkingRequests()
  const reads = [
    'GET /v2/platform/deployments/d/events?q=x',
    'GET /platform/deployments/d/logs',
    'GET /v1/projects/p/logs?q=x',
    'GET /v1/projects/p/analytics?from=1',
    'GET /v1/analytics/projects',
  ]
  for (const on of reads) assert.equal(isElsewhere(ask(on)), false, on)
  noteVisit(0)
  for (const on of reads) assert.equal(isElsewhere(ask(on)), true, on)
  assert.equal(isElsewhere(ask('GET /v2/platform/deployments/d/events?follow=1')), false)
  assert.equal(isElsewhere(ask('GET /v1/projects/p')), false)
})

test('sites are visited until a second or two after the last visit', () => {
  let now = 0
  const { isVisited, noteVisit } = createWorkingRequests({ now: () => now })
  assert.equal(isVisited(), false)
  noteVisit(now)
  now = 1500
  assert.equal(isVisited(), true)
  now = 4000
  assert.equal(isVisited(), false)
})

test('so is whoever takes much of the CPU with few requests', () => {
  let cpu = 0
  const parts = { now: () => 0, spent: () => cpu, later: (work: () => void) => ended.push(work) }
  const ended: (() => void)[] = []
  const { isElsewhere, noteVisit, noteAnswer } = createWorkingRequests(parts)
  const list = ask('GET /v3/platform/deployments', { authorization: 'costly' })
  const answer = (ms: number) => {
    noteAnswer(list)
    cpu += ms
    for (const work of ended.splice(0)) work()
  }
  answer(1000)
  noteVisit(0)
  assert.equal(isElsewhere(list), false, 'what was answered before anybody visited is not counted')
  for (let n = 0; n < 5; n++) answer(5)
  assert.equal(isElsewhere(list), false)
  answer(5)
  assert.equal(isElsewhere(list), true)
  assert.equal(isElsewhere(ask('GET /v3/platform/deployments', { authorization: 'cheap' })), false)
})

test('whoever changes between addresses of one network of IPv6 is one caller', () => {
  const elsewhere = createWorkingRequests({ now: () => 0 })
  const from = (remoteAddress: string) =>
    ({ method: 'GET', url: '/v2/user', headers: {}, socket: { remoteAddress } }) as unknown as AnyRequest
  elsewhere.noteVisit(0)
  for (let n = 0; n < 30; n++) elsewhere.isElsewhere(from(`2001:db8::${n}`))
  assert.equal(elsewhere.isElsewhere(from('2001:db8::ffff')), true)
  assert.equal(elsewhere.isElsewhere(from('2001:db8:0:1::1')), false)
})

test('whoever makes up cookies or tokens is counted as one after the first few', () => {
  for (const header of ['cookie', 'authorization']) {
    let now = 0
    const elsewhere = createWorkingRequests({ now: () => now })
    elsewhere.noteVisit(0)
    const asks = (claim: string, remoteAddress = '192.0.2.1') =>
      elsewhere.isElsewhere({
        ...{ method: 'GET', url: '/v2/user', headers: { [header]: claim } },
        socket: { remoteAddress },
      } as unknown as AnyRequest)
    const answered = Array.from({ length: 200 }, (_, n) => asks(`made up ${n}`)).filter((is) => !is)
    assert.ok(answered.length <= 30, `${answered.length} are answered here`)
    assert.equal(asks('another', '192.0.2.2'), false, 'others are not blamed for it')
    now = 1100
    elsewhere.noteVisit(now)
    for (let n = 0; n < 8; n++) asks(`made up again ${n}`)
    assert.equal(asks('one more'), true, 'a second later as well')
  }
})

test('whoever sends the same cookie from somewhere else is somebody else', () => {
  const elsewhere = createWorkingRequests({ now: () => 0 })
  elsewhere.noteVisit(0)
  const asks = (remoteAddress: string) =>
    elsewhere.isElsewhere({
      ...{ method: 'GET', url: '/v2/user', headers: { cookie: 'theme=dark' } },
      socket: { remoteAddress },
    } as unknown as AnyRequest)
  for (let n = 0; n < 30; n++) asks('192.0.2.1')
  assert.equal(asks('192.0.2.1'), true)
  assert.equal(asks('192.0.2.2'), false)
})

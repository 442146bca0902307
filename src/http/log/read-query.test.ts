import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readEvents } from '#contract/api/log.ts'
import { compileValidate } from '../request/validate.ts'
import { readLogQuery } from './read-query.ts'

const validate = compileValidate(
  'querystring',
  readEvents.query as NonNullable<typeof readEvents.query>,
  readEvents,
)

/** A query string the way the server reads it. */
const read = (text: string) => {
  const query = Object.fromEntries(new URLSearchParams(text))
  validate(query)
  return readLogQuery(query)
}

const request = (text: string) => {
  const given = Object.entries(read(text).request).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

it('reads everything from the beginning when nothing is said', () => {
  assert.deepEqual(read(''), { ...read('direction=forward&limit=-1'), follow: false, lines: false })
  assert.deepEqual(request(''), { direction: 'forward' })
})

it('reads every parameter', () => {
  const { follow, lines } = read('follow=1&format=lines')
  assert.deepEqual([follow, lines], [true, true])
  const direction = 'backward'
  assert.deepEqual(request('direction=backward&limit=5'), { direction, limit: 5 })
  assert.deepEqual(request('limit=0').limit, 0)
  assert.deepEqual(request('types=stdout,%20command,stdout').types, ['stdout', 'command'])
  assert.deepEqual(request('types=command,stdout,stderr,exit').types, ['command', 'stdout'])
  assert.deepEqual(request('types=exit').types, [])
  assert.equal(request('q=a%25b').text, 'a%b')
  assert.equal(request('name=bld_1').name, 'bld_1')
  assert.equal(request('instanceId=x').instanceId, 'x')
  assert.equal(request('builds=1').builds, true)
  assert.equal(request('builds=false').builds, false)
  assert.deepEqual(request('statusCode=404').status, { from: 404, to: 404 })
  assert.deepEqual(request('statusCode=4xx').status, { from: 400, to: 499 })
  assert.deepEqual(request('statusCode=5XX').status, { from: 500, to: 599 })
})

it('reads times as everything at or after them, and serials as what lies beyond', () => {
  assert.equal(request('since=1700000000000').after, '1699999999999999999')
  assert.equal(request('until=1700000000000').before, '1700000000001000000')
  assert.equal(request('since=0').after, '-1')
  assert.equal(request('since=1700000000000000042').after, '1700000000000000042')
  assert.equal(request('until=1700000000000000042').before, '1700000000000000042')
  assert.ok(BigInt(request('until=9999999999999').before) < 2n ** 63n)
})

it('takes an empty parameter for one that is not there', () => {
  assert.deepEqual(request('since=&until=&types=&q=&name=&statusCode=&instanceId='), { direction: 'forward' })
})

it('says what is wrong with a parameter', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['direction=up', /`direction` should be one of "forward", "backward"/],
    ['limit=-2', /`limit` should be -1 or more/],
    ['limit=many', /`limit` should be an integer/],
    ['since=yesterday', /`since` should be a time in milliseconds or the serial of an entry/],
    ['since=17000000000000', /`since` should be a time/],
    ['since=9999999999999999999', /`since` should be a time/],
    ['until=-1', /`until` should be a time/],
    ['until=1.5', /`until` should be a time/],
    ['types=stdout,reqest', /`types` should be some of request, response, command, stdout/],
    ['types=stdout,', /`types` should be/],
    ['statusCode=40', /`statusCode` should be a status such as `404` or a class such as `4xx`/],
    ['statusCode=4x4', /`statusCode` should/],
    ['statusCode=999', /`statusCode` should/],
    ['builds=2', /`builds` should be a boolean/],
    ['follow=yes', /`follow` should be a boolean/],
    ['format=csv', /`format` should be one of "lines"/],
    [`q=${'x'.repeat(1025)}`, /`q` should be at most 1024 characters long/],
    ['follow=1&direction=backward', /`direction` cannot be `backward` together with `follow`/],
    ['follow=1&until=1', /`until` cannot be given together with `follow`/],
  ]
  for (const [text, message] of cases) assert.throws(() => read(text), { kind: 'bad_request', message }, text)
})

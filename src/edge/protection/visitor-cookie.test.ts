import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVisitorCookies, withoutVisitorCookie } from './visitor-cookie.ts'

const cookies = createVisitorCookies(Buffer.alloc(32, 1))
const grants = { sso: { userId: 'alice', until: 2_000_000_000 } }
const pairOf = (set: string) => set.split(';')[0] as string

test('a cookie proves what it was written for, on its host and under its key', () => {
  const cookie = pairOf(cookies.write(grants, 'a.test', { isSecure: false }))
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(cookies.read(cookie, 'a.test'), grants)
    assert.deepEqual(cookies.read(cookie, 'b.test'), {})
  }
  assert.deepEqual(createVisitorCookies(Buffer.alloc(32, 2)).read(cookie, 'a.test'), {})
  assert.deepEqual(cookies.read(undefined, 'a.test'), {})
  assert.deepEqual(cookies.read(`not${cookie}`, 'a.test'), {})
})

test('cookies that other hosts have set for this one do not hide its own, unless they are too many', () => {
  const own = pairOf(cookies.write(grants, 'a.test', { isSecure: false }))
  const other = pairOf(cookies.write(grants, 'b.test', { isSecure: false }))
  assert.deepEqual(cookies.read(`x=y; ${other};${other}; _platform_jwt=junk; ${own}`, 'a.test'), grants)
  assert.deepEqual(cookies.read([...Array(50).fill(other), own].join('; '), 'a.test'), {})
})

test('a cookie is kept off plain connections where that goes', () => {
  const attributes = (set: string) => set.replace(/^[^;]*; /, '')
  const common = 'Path=/; Max-Age=604800; HttpOnly; '
  assert.equal(attributes(cookies.write(grants, 'a', { isSecure: false })), `${common}SameSite=Lax`)
  assert.equal(attributes(cookies.write(grants, 'a', { isSecure: true })), `${common}Secure; SameSite=Lax`)
  const crossSite = cookies.write(grants, 'a', { isSecure: true, crossSite: true })
  assert.equal(attributes(crossSite), `${common}Secure; SameSite=None`)
})

test('what goes on to functions has every cookie but ours', () => {
  const rows = [
    ['a=b; c=d', 'a=b; c=d'],
    ['_platform_jwt=x', undefined],
    ['a=b; _platform_jwt=x; c=d', 'a=b; c=d'],
    ['_platform_jwt=x;a=b', 'a=b'],
    ['_platform_jwt=x; _platform_jwt=y; a=_platform_jwt', 'a=_platform_jwt'],
    ['my_platform_jwt=x', 'my_platform_jwt=x'],
  ] as const
  for (const [sent, kept] of rows) assert.equal(withoutVisitorCookie(sent), kept)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BYPASS, parameterOf, withoutOwnParameters } from './own-parameters.ts'

test('parameters of ours are read and taken out, all others stay as they were sent', () => {
  const rows = [
    ['/', undefined, '/'],
    ['/?', undefined, '/?'],
    [`/?${BYPASS}=a`, 'a', '/'],
    [`/p?${BYPASS}=a%20b&x=%2F`, 'a b', '/p?x=%2F'],
    [`/p?x&&${BYPASS}&y=?`, '', '/p?x&&y=?'],
    [`/p?x=1&${BYPASS}=a&${BYPASS}=b&x-platform-set-bypass-cookie=true`, 'a', '/p?x=1'],
    [`/p?${BYPASS}=%`, undefined, '/p'],
    [`/p?${BYPASS}s=a&x-platform-other=1`, undefined, `/p?${BYPASS}s=a&x-platform-other=1`],
    [`/p?X-Platform-Protection-Bypass=a`, undefined, `/p?X-Platform-Protection-Bypass=a`],
    [`/${BYPASS}=a`, undefined, `/${BYPASS}=a`],
  ] as const
  for (const [url, value, rest] of rows) {
    assert.equal(parameterOf(url, BYPASS), value, url)
    assert.equal(withoutOwnParameters(url), rest, url)
  }
})

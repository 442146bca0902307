import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BYPASS, parameterOf, SET_COOKIE, withoutOwnParameters } from './own-parameters.ts'

test('parameters of ours are read and taken out by each of their names, all others stay as they were sent', () => {
  for (const [at, name] of BYPASS.entries()) {
    const rows = [
      ['/', undefined, '/'],
      ['/?', undefined, '/?'],
      [`/?${name}=a`, 'a', '/'],
      [`/p?${name}=a%20b&x=%2F`, 'a b', '/p?x=%2F'],
      [`/p?x&&${name}&y=?`, '', '/p?x&&y=?'],
      [`/p?x=1&${name}=a&${name}=b&${SET_COOKIE[at]}=true`, 'a', '/p?x=1'],
      [`/p?${name}=%`, undefined, '/p'],
      [`/p?${name}s=a&x-platform-other=1`, undefined, `/p?${name}s=a&x-platform-other=1`],
      [`/p?${name.toUpperCase()}=a`, undefined, `/p?${name.toUpperCase()}=a`],
      [`/${name}=a`, undefined, `/${name}=a`],
    ] as const
    for (const [url, value, rest] of rows) {
      assert.equal(parameterOf(url, name), value, url)
      assert.equal(withoutOwnParameters(url), rest, url)
    }
  }
})

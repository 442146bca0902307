import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitUrlOf, readAddress, repositoryOf } from './source.ts'

test('what signs in is taken out of an address, encoded or not', () => {
  for (const [given, username, token] of [
    ['https://ada:s%40cret@git.example/a/b.git', 'ada', 's@cret'],
    ['https://ada:50%off@git.example/a/b.git', 'ada', '50%off'],
    ['https://ada%:50%off%20%40@git.example/a/b.git', 'ada%', '50%off @'],
    ['https://ada:%ff%C3%BC@git.example/a/b.git', 'ada', '%ff%C3%BC'],
  ] as const)
    assert.deepEqual(readAddress(given), { url: 'https://git.example/a/b.git', username, token })
})

test('a repository has a name whatever is in its address', () => {
  for (const [url, name] of [
    ['https://github.com/ada/b%C3%BCcher.git', 'ada/bücher'],
    ['https://github.com/ada/100%.git', 'ada/100%'],
    ['https://github.com/ada/b%zz', 'ada/b%zz'],
  ] as const) {
    assert.equal(repositoryOf(readAddress(url)), name)
    assert.equal(commitUrlOf({ url, host: null }, 'abc'), `https://github.com/${name}/commit/abc`)
  }
})

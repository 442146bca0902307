import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inPlainWords, runGit } from './run-git.ts'

test('git takes no more memory than it may, whatever it is given', async () => {
  const confine = async () => (argv: readonly string[]) => argv
  const input = 'x'.repeat(64 * 2 ** 20)
  const hash = (maxMemoryBytes: number) =>
    runGit(confine, { folder: '/', args: ['hash-object', '--stdin'], input, maxMemoryBytes })
  await assert.rejects(hash(32 * 2 ** 20), /needs more memory for it than it may take/)
  assert.match((await hash(512 * 2 ** 20)).toString(), /^[0-9a-f]{40}\n$/)
})

test('of output without end the beginning is read, where that is all that is wanted', async () => {
  const confine = async () => () => ['sh', '-c', 'while :; do echo words of a commit; done']
  const text = await runGit(confine, { folder: '/', args: ['log'], firstBytes: 20 })
  assert.equal(text.toString(), 'words of a commit\nwo')
})

test('a token that is not accepted is told in a plain sentence, and everything else as git says it', () => {
  const denied = [
    "error: unable to read askpass response from '/bin/false'\nfatal: could not read Username for 'https://git.example:8443': terminal prompts disabled",
    "fatal: could not read Password for 'https://git@git.example': No such device or address",
    "remote: Invalid username or token.\nfatal: Authentication failed for 'https://git.example/me/site.git/'",
    "fatal: unable to access 'https://git.example/me/site.git/': The requested URL returned error: 403",
  ]
  for (const said of denied)
    assert.match(
      inPlainWords(said),
      /^git\.example denied access to the repository: the token is missing or wrong/,
    )
  for (const said of [
    "fatal: unable to access 'https://git.example/me/site.git/': The requested URL returned error: 502",
    "fatal: repository 'https://git.example/me/site.git/' not found",
    '',
  ])
    assert.equal(inPlainWords(said), said)
})

test('what a server says is looked at once, whatever it repeats', async () => {
  const saying = (words: string) =>
    runGit(async () => () => ['sh', '-c', 'printf %s "$0" >&2; exit 128', words], {
      folder: '/',
      args: ['fetch'],
      maxFileBytes: 2 ** 20,
    })
  const silent = 'fatal: fetch-pack: invalid index-pack output'
  await assert.rejects(saying(`remote: a\rremote: b\nwarning: c\n${silent}\n`), /is larger than 1 MiB/)
  await assert.rejects(saying(`remote: a\nerror: damaged\n${silent}\n`), /damaged/)
  await assert.rejects(saying(`${'remote: a '.repeat(100)}${silent}!`), /^GitError: remote: a remote: a/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inPlainWords } from './run-git.ts'

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

import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { homeFolder } from './home-folder.ts'

test('a home folder that nobody named is the one that the system knows', () => {
  assert.equal(homeFolder({ HOME: '/home/ada' }), '/home/ada')
  const { HOME } = process.env
  try {
    for (const said of ['', undefined]) {
      process.env.HOME = said ?? ''
      assert.equal(homeFolder({ HOME: said }), userInfo().homedir)
    }
  } finally {
    process.env.HOME = HOME
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Files, manifestOf, plannedTask, type TaskChanges } from '#core/detection/plan-testing.ts'
import { buildEnv } from './build-env.ts'

const vite: Files = { 'package.json': { scripts: { build: 'vite build' }, devDependencies: { vite: '7' } } }

async function envOf(changes?: TaskChanges): Promise<Record<string, string>> {
  const { files, read } = manifestOf(vite)
  return buildEnv(await plannedTask(files, read, changes))
}

test('variables make frameworks choose this platform, under what the owner has set', async () => {
  const env = await envOf({
    deployment: { target: 'production' },
    env: { NITRO_PRESET: 'node', VERCEL_GIT_COMMIT_REF: 'main', VERCEL_TOKEN: 's' },
  })
  assert.equal(env.VERCEL, '1')
  assert.equal(env.CI, '1')
  assert.equal(env.FORCE_COLOR, '1')
  assert.equal('FORCE_COLOR' in (await envOf({ env: { NO_COLOR: '1' } })), false)
  assert.equal(env.NOW_BUILDER, '1')
  assert.equal(env.TURBO_DANGEROUSLY_DISABLE_PACKAGE_MANAGER_CHECK, '1')
  assert.equal(env.VERCEL_ENV, 'production')
  assert.equal(env.VITE_VERCEL_ENV, 'production')
  assert.equal(env.VITE_VERCEL_URL, 'site-abc.example.test')
  assert.equal(env.VITE_VERCEL_GIT_COMMIT_REF, 'main')
  assert.equal('NITRO_PRESET' in env, false)
  assert.equal('VITE_VERCEL_TOKEN' in env, false)
  assert.equal((await envOf()).NITRO_PRESET, 'vercel')
})

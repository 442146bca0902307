import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { listDeploymentAliases } from '#contract/api/alias.ts'
import {
  cancelDeployment,
  createDeployment,
  getDeployment,
  redeployDeployment,
} from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { startMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject, shownDeployment } from '../project/project-testing.ts'

const made = { ...sampleDeployment, target: 'production' as const, aliasFinal: ['shop-jo.localhost'] }

/** An installation with this project, where these aliases show the deployment. */
const machineWith = (project: Partial<typeof sampleProject>, aliases: readonly string[]) =>
  startMachine(
    answers(createDeployment, () => made),
    answers(redeployDeployment, ({ body }) =>
      body.target === 'preview' ? sampleDeployment : { ...made, target: body.target ?? 'production' },
    ),
    answers(cancelDeployment, () => ({ ...made, readyState: 'ERROR' as const, aliasFinal: null })),
    answers(getDeployment, () => made),
    answers(getProject, () => ({ ...sampleProject, ...project })),
    answers(listDeploymentAliases, () => ({
      aliases: aliases.map((alias, i) => ({ alias, uid: `u${i}`, created: '2026-01-01T00:00:00.000Z' })),
    })),
  )

test('labelled lines for a person, and the address alone for programs', async () => {
  await using machine = await machineWith(
    { targets: { production: shownDeployment('dpl_1', 'shop-a1b2c3d4e.localhost') } },
    ['shop-jo.localhost', 'shop.localhost', 'shop.example.com'],
  )
  mkdirSync(join(machine.home, 'shop'))
  writeFileSync(join(machine.home, 'shop', 'index.html'), 'hello')
  const { code, stdout, stderr } = await machine.run(['deploy', 'shop', '--prod', '--no-link'], {
    ALOFT_TOKEN: TOKEN,
  })
  assert.equal(code, 0, stderr)
  const port = new URL(machine.api.baseUrl).port
  assert.equal(stdout, `http://shop-a1b2c3d4e.localhost:${port}\n`)
  assert.match(stderr, /^Ready in [\d.]+ m?s$/m)
  assert.ok(
    stderr.includes(
      `Production  http://shop.example.com:${port}\nProduction  http://shop.localhost:${port}\n`,
    ),
  )
  assert.ok(stderr.includes(`Also at     http://shop-jo.localhost:${port}\n`))
  assert.ok(stderr.includes(`Deployment  http://shop-a1b2c3d4e.localhost:${port}\n`))
  assert.ok(stderr.includes(`Inspect     ${machine.api.baseUrl}/deployments/dpl_1\n`))
})

test('a deployment that is ready is told as such, although the server cannot be asked for its names any more', async () => {
  await using machine = await startMachine(
    answers(createDeployment, () => made),
    answers(getDeployment, () => made),
    answers(listDeploymentAliases, () => {
      machine.api.cut()
      return { aliases: [] }
    }),
    answers(getProject, () => sampleProject),
  )
  mkdirSync(join(machine.home, 'shop'))
  writeFileSync(join(machine.home, 'shop', 'index.html'), 'hello')
  const { code, stdout, stderr } = await machine.run(['deploy', 'shop', '--prod', '--no-link'], {
    ALOFT_TOKEN: TOKEN,
  })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^http:\/\/shop-a1b2c3d4e\.localhost:\d+\n$/)
  assert.match(stderr, /^Ready in [\d.]+ m?s$/m)
})

test('after a rollback it is told that production stays where it is, and how to make it live', async () => {
  const request = {
    type: 'rollback' as const,
    fromDeploymentId: 'dpl_1',
    toDeploymentId: 'dpl_old',
    jobStatus: 'succeeded' as const,
    requestedAt: 1,
  }
  await using machine = await machineWith(
    {
      targets: { production: shownDeployment('dpl_old', 'shop-old.localhost') },
      lastRollbackTarget: request,
    },
    ['shop-jo.localhost'],
  )
  const env = { ALOFT_TOKEN: TOKEN }
  const port = new URL(machine.api.baseUrl).port
  const { stdout, stderr } = await machine.run(['redeploy', 'dpl_1'], env)
  assert.equal(stdout, `http://shop-a1b2c3d4e.localhost:${port}\n`)
  assert.match(stderr, /^Redeploying the files of dpl_1 as dpl_1\.$/m)
  assert.match(stderr, /^Ready in [\d.]+ m?s, but/m)
  assert.ok(
    stderr.includes(
      `, but production is held at http://shop-old.localhost:${port} since your rollback; make it live with \`aloft promote dpl_1\`\n`,
    ),
    stderr,
  )
  assert.doesNotMatch(stderr, /^Production/m)
  const { held } = JSON.parse((await machine.run(['redeploy', 'dpl_1', '--json'], env)).stdout)
  assert.deepEqual(held, {
    by: 'rollback',
    deploymentId: 'dpl_old',
    url: `http://shop-old.localhost:${port}`,
  })
  const preview = await machine.run(['redeploy', 'dpl_1', '--target', 'preview'], env)
  assert.match(preview.stderr, /^Preview {5}http/m)
  assert.match(
    (await machine.run(['redeploy', '--prod', '--target', 'preview'], env)).stderr,
    /cannot be used together/,
  )
})

test('a build is cancelled after asking', async () => {
  await using machine = await machineWith({}, [])
  const env = { ALOFT_TOKEN: TOKEN }
  assert.match((await machine.run(['cancel', 'dpl_1'], env)).stderr, /Add --yes/)
  const { stdout } = await machine.run(['cancel', 'dpl_1', '--yes'], env)
  assert.match(stdout, /^Cancelled the build of http:\/\/shop-a1b2c3d4e\.localhost:\d+\.$/m)
  assert.equal(machine.api.requests.at(-1)?.path, '/v12/deployments/dpl_1/cancel')
})

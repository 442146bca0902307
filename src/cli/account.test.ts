import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { sampleDeployment } from '#client/deploy/deployment-testing.ts'
import { createDeployment, getDeployment, listDeployments } from '#contract/api/deployment.ts'
import { listVariables } from '#contract/api/env-variable.ts'
import { getProject } from '#contract/api/project.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, type TestMachine, TOKEN } from './cli-testing.ts'
import { LINK_FILE } from './config/link-file.ts'
import { sampleProject } from './project/project-testing.ts'

const env = { ALOFT_TOKEN: TOKEN }
const link = { projectId: sampleProject.id, teamId: null }

/** A folder whose author says to which project it belongs. */
async function startWithStrangersFolder(): Promise<TestMachine> {
  const machine = await startMachine(
    answers(getProject, ({ params: { idOrName = '' } }) => {
      if (/^(?:shop|prj_[12])$/.test(idOrName)) return sampleProject
      throw new AloftError('not_found', 'There is no such project.')
    }),
    answers(getDeployment, () => sampleDeployment),
    answers(listDeployments, () => ({ deployments: [], pagination: { count: 0, next: null, prev: null } })),
    answers(listVariables, () => ({ envs: [] })),
    answers(createDeployment, () => {
      throw new AloftError('forbidden', 'Nothing is deployed here.')
    }),
  )
  mkdirSync(join(machine.home, 'site/.aloft'), { recursive: true })
  mkdirSync(join(machine.home, '.aloft'))
  for (const folder of ['.', 'site']) {
    writeFileSync(join(machine.home, folder, LINK_FILE), JSON.stringify(link))
    writeFileSync(join(machine.home, folder, 'index.html'), 'x')
  }
  return machine
}

const changed = ({ api }: TestMachine) => api.requests.filter(({ method }) => method !== 'GET').length
const refusal = new RegExp(
  `links this folder to your project ${sampleProject.name}, and was not written by you.*\\n.*aloft link ${sampleProject.name} --personal`,
)

for (const line of [
  ['deploy', 'site', '--prod', '--yes'],
  ['env', 'ls', '--yes'],
  ['rollback', '--yes'],
  ['logs'],
  ['ls'],
])
  test(`${line[0]} follows no link that came with the folder where nobody can be asked`, async () => {
    await using machine = await startWithStrangersFolder()
    const { code, stderr } = await machine.run(line, env)
    assert.equal(code, 2)
    assert.match(stderr, refusal)
    assert.match(stderr, /or name the project/)
    assert.equal(changed(machine), 0)
  })

test('a link that came with the folder is followed once somebody said so, and asked about when it changes', async () => {
  await using machine = await startWithStrangersFolder()
  const no = await machine.answer('n', ['env', 'ls'], env)
  assert.equal(no.code, 130)
  assert.match(no.stderr, /Use that project\? \[y\/N\]/)
  const yes = await machine.answer('y', ['env', 'ls'], env)
  assert.equal(yes.code, 0, yes.stderr)
  assert.equal((await machine.run(['env', 'ls'], env)).code, 0)
  assert.match(
    (await machine.run(['deploy', 'site'], env)).stderr,
    refusal,
    'another folder was not asked about',
  )
  writeFileSync(join(machine.home, LINK_FILE), JSON.stringify({ ...link, projectId: 'prj_2' }))
  assert.match((await machine.run(['env', 'ls'], env)).stderr, refusal)
})

test('naming the project, or linking the folder, is the way on', async () => {
  await using machine = await startWithStrangersFolder()
  const named = await machine.run(['env', 'ls', '--project', 'shop'], env)
  assert.equal(named.code, 0, named.stderr)
  assert.match(
    (await machine.run(['deploy', 'site', '--name', 'other'], env)).stderr,
    /Nothing is deployed here/,
  )
  assert.equal((await machine.run(['inspect', 'dpl_1'], env)).stderr.includes('links this folder'), false)
  assert.equal((await machine.run(['ls', '--all'], env)).code, 0)
  machine.link(link)
  assert.equal((await machine.run(['env', 'ls'], env)).code, 0)
})

test('a script deploys a folder to the project of its name, although nobody remembers who has linked it', async () => {
  await using machine = await startWithStrangersFolder()
  const folder = join(machine.home, sampleProject.name)
  mkdirSync(join(folder, '.aloft'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), 'x')
  const deployed = async (written: object) => {
    writeFileSync(join(folder, LINK_FILE), JSON.stringify({ ...link, ...written }))
    return (await machine.run(['deploy', folder], env)).stderr
  }
  assert.match(await deployed({}), /Nothing is deployed here/)
  assert.match(await deployed({ projectId: 'prj_2' }), refusal)
  assert.doesNotMatch(await deployed({ teamId: `team_${'a'.repeat(24)}` }), /Nothing is deployed here/)
})

test('a link that came with the folder does not say for which team a named project is deployed', async () => {
  await using machine = await startWithStrangersFolder()
  const teamId = `team_${'a'.repeat(24)}`
  writeFileSync(join(machine.home, 'site', LINK_FILE), JSON.stringify({ ...link, teamId }))
  const { code } = await machine.run(['deploy', 'site', '--name', 'shop'], env)
  assert.notEqual(code, 0)
  assert.equal(changed(machine), 0)
  const personal = await machine.run(['deploy', 'site', '--name', 'shop', '--personal'], env)
  assert.match(personal.stderr, /Nothing is deployed here/)
})

test('a person is asked before a folder goes to a project that only has its name, and a script is not', async () => {
  await using machine = await startWithStrangersFolder()
  const folder = join(machine.home, sampleProject.name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), 'x')
  const no = await machine.answer('n', ['deploy', folder], env)
  assert.equal(no.code, 130, no.stderr)
  assert.match(no.stderr, /already, and this folder is not linked to it\. Deploy to that project\? \[y\/N\]/)
  assert.equal(changed(machine), 0)
  for (const line of [
    ['deploy', folder, '--yes'],
    ['deploy', folder, '--name', sampleProject.name],
  ])
    assert.match((await machine.answer('n', line, env)).stderr, /Nothing is deployed here/)
  assert.match((await machine.run(['deploy', folder], env)).stderr, /Nothing is deployed here/)
})

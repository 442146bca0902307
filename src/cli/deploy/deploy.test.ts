import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { answers } from '#client/client-testing.ts'
import { createDeployment } from '#contract/api/deployment.ts'
import { getProject } from '#contract/api/project.ts'
import { AloftError } from '#contract/errors.ts'
import { startMachine, type TestMachine, TOKEN } from '../cli-testing.ts'
import { sampleProject } from '../project/project-testing.ts'

interface AskedDeployment {
  readonly files: readonly { readonly file: string }[]
  readonly meta: Readonly<Record<string, string>>
}

/** A machine with a repository of these files, all of them committed, and an installation that has these projects. */
async function startWithRepository(
  files: Readonly<Record<string, string>>,
  projects: readonly (typeof sampleProject)[] = [],
): Promise<TestMachine & { readonly asked: readonly AskedDeployment[]; write(path: string): void }> {
  const asked: AskedDeployment[] = []
  const machine = await startMachine(
    answers(getProject, ({ params }) => {
      const found = projects.find(({ name }) => name === params.idOrName)
      if (found === undefined) throw new AloftError('not_found', 'There is no such project.')
      return found
    }),
    answers(createDeployment, ({ body }) => {
      asked.push(body as unknown as AskedDeployment)
      throw new AloftError('forbidden', 'Nothing is deployed here.')
    }),
  )
  const write = (path: string, text = 'changed') => {
    const file = join(machine.home, 'mono', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const git = (...line: readonly string[]) =>
    execFileSync('git', line, { cwd: join(machine.home, 'mono'), env: { PATH: process.env.PATH } })
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'all')
  return { ...machine, asked, write }
}

const env = { ALOFT_TOKEN: TOKEN, PATH: process.env.PATH ?? '' }

test('changes anywhere in a workspace count as uncommitted where all of it is uploaded', async () => {
  await using machine = await startWithRepository({
    'package.json': '{"workspaces":["apps/*","packages/*"]}',
    'apps/web/package.json': '{}',
    'packages/ui/package.json': '{}',
  })
  const dirtyOf = async (...line: readonly string[]) => {
    await machine.run(['deploy', 'mono/apps/web', ...line], env)
    return machine.asked.at(-1)?.meta.gitDirty
  }
  assert.equal(await dirtyOf(), '0')
  machine.write('packages/ui/index.js')
  assert.equal(await dirtyOf(), '1')
  assert.equal(await dirtyOf('--no-workspace'), '0', 'of the folder alone, nothing has changed')
})

test('a project that is named, or that a person agrees to, gets what its root directory is in, as one that is linked does', async () => {
  const shop = { ...sampleProject, rootDirectory: 'shop' }
  await using machine = await startWithRepository({ 'shop/index.html': 'x', 'other/a': 'x' }, [shop])
  const filesOf = () => machine.asked.at(-1)?.files.map(({ file }) => file)
  await machine.answer('y', ['deploy', 'mono/shop'], env)
  assert.deepEqual(filesOf(), ['other/a', 'shop/index.html'])
  await machine.run(['deploy', 'mono/shop', '--name', 'shop', '--no-workspace'], env)
  assert.deepEqual(filesOf(), ['index.html'])
  await machine.run(['deploy', 'mono/shop', '--name', 'shop'], env)
  assert.deepEqual(filesOf(), ['other/a', 'shop/index.html'])
  await machine.run(['deploy', 'mono/shop', '--name', 'new'], env)
  assert.deepEqual(filesOf(), ['index.html'])
})

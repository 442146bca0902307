import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type WorkTree, workTree } from '#test/support/git/git.ts'
import { CI_FOLDER, githubSteps, gitlabScript } from '#test/support/program/ci-script.ts'
import { readPage } from '#test/support/program/doc-page.ts'
import { startServer, type TestServer } from '#test/support/server.ts'

const run = promisify(execFile)

/** A job of a CI service: its commands, in a checkout, with what the service tells it. Answers the address. */
interface Job {
  readonly file: string
  run(checkout: WorkTree, branch: string, project: string): Promise<string>
}

let server: TestServer
let home: string
let env: Record<string, string>
before(async () => {
  server = await startServer()
  home = mkdtempSync(join(tmpdir(), 'aloft-ci-'))
  const programs = join(home, 'programs')
  mkdirSync(programs)
  const main = resolve(import.meta.dirname, '../../../bin/aloft.js')
  writeFileSync(join(programs, 'aloft'), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, {
    mode: 0o755,
  })
  env = {
    PATH: [programs, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    ALOFT_BASE_URL: server.url,
    ALOFT_TOKEN: (await server.operator()).token,
  }
})
after(async () => {
  rmSync(home, { recursive: true, force: true })
  await server.close()
})

const JOBS: readonly Job[] = [
  {
    file: 'github.yml',
    async run({ folder }, branch, project) {
      const summary = join(home, `summary-${branch}`)
      const told = {
        GITHUB_EVENT_NAME: branch === 'main' ? 'push' : 'pull_request',
        GITHUB_REPOSITORY: `me/${project}`,
        GITHUB_STEP_SUMMARY: summary,
      }
      for (const step of githubSteps('github.yml'))
        await run('bash', ['-e', '-c', step], { cwd: folder, env: { ...env, ...told } })
      return /^Deployed to (\S+)$/m.exec(readFileSync(summary, 'utf8'))?.[1] ?? ''
    },
  },
  {
    file: 'gitlab.yml',
    async run({ folder }, branch, project) {
      const told = { CI_COMMIT_BRANCH: branch, CI_DEFAULT_BRANCH: 'main', CI_PROJECT_NAME: project }
      const script = ['-eo', 'pipefail', '-c', gitlabScript('gitlab.yml')]
      await run('bash', script, { cwd: folder, env: { ...env, ...told } })
      return /^DEPLOYED_URL=(\S+)$/m.exec(readFileSync(join(folder, 'deployed.env'), 'utf8'))?.[1] ?? ''
    },
  },
  {
    file: 'deploy.sh',
    async run({ folder }, _branch, project) {
      const told = { PROJECT: project }
      const { stdout } = await run('sh', [join(CI_FOLDER, 'deploy.sh')], {
        cwd: folder,
        env: { ...env, ...told },
      })
      return stdout.trim()
    },
  },
]

for (const { file, run: runJob } of JOBS)
  test(`${file}: main goes to production, another branch is a preview, and a failure fails the job`, async (t) => {
    const project = `by-${file.replace('.', '-')}`
    const checkout = await workTree(t, { 'index.html': 'of main' })
    await checkout.commit()
    const shownAt = async (host: string) => (await server.visit(host, '/')).body

    const first = new URL(await runJob(checkout, 'main', project))
    const production = `${project}.${first.hostname.split('.').slice(1).join('.')}`
    assert.equal(await shownAt(first.hostname), 'of main')
    assert.equal(await shownAt(production), 'of main')

    await checkout.must('checkout', '-b', 'idea')
    await checkout.write('index.html', 'of an idea')
    await checkout.commit()
    const preview = new URL(await runJob(checkout, 'idea', project))
    assert.equal(await shownAt(preview.hostname), 'of an idea')
    assert.equal(await shownAt(production), 'of main')

    await checkout.write('aloft.json', 'not JSON')
    await assert.rejects(runJob(checkout, 'idea', project), { code: 1 })
  })

test('the page shows the files as they are', () => {
  const page = readPage('docs/ci.md')
  for (const { file } of JOBS)
    assert.ok(page.includes(`\n${readFileSync(join(CI_FOLDER, file), 'utf8')}\`\`\`\n`), file)
})

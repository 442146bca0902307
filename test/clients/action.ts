import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { kept } from './packages.ts'
import type { Place } from './place.ts'
import type { StepRecorder } from './report.ts'
import { runCommand } from './run-command.ts'

/** The version of the command line that the action is told to use. */
const VERCEL = '60.1.3'

/** What an action wrote for the steps after it: `name<<delimiter`, the value, the delimiter. */
const outputsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^(\S+?)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name, value]),
  )

/**
 * An action as a runner of GitHub runs it: its program in a checkout, with its inputs and what is known of the commit
 * as environment variables. The step before it has written where the command line finds the API.
 */
export async function actionSteps(
  place: Place,
  folder: string,
  { step }: StepRecorder,
  node: string,
): Promise<void> {
  const home = await place.folder('runner')
  const name = place.name('action')
  const work = join(home, name)
  await mkdir(work)
  const put = (text: string) => writeFile(join(work, 'index.html'), `<h1>${name}${text}</h1>`)
  const settings = join(home, '.local', 'share', 'com.vercel.cli')
  await mkdir(settings, { recursive: true })
  await writeFile(join(settings, 'config.json'), JSON.stringify({ api: place.url }))
  const { id: projectId } = await place.api('POST /v10/projects', { name })
  const { user } = await place.api('GET /v2/user')

  const git = async (...args: string[]): Promise<string> => {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@aloft.test']
    const { code, all } = await runCommand(['git', ...identity, ...args], { cwd: work })
    assert.equal(code, 0, all)
    return all.trim()
  }
  await git('init', '--quiet', '--initial-branch=main')

  /** Commits what is there, runs the action for the push, and answers what it puts out. */
  async function run(
    text: string,
    inputs: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> {
    await put(text)
    await git('add', '.')
    await git('commit', '--quiet', '--message', `Say${text}`)
    const output = join(home, 'output')
    const event = join(home, 'event.json')
    for (const [file, content] of [
      [output, ''],
      [join(home, 'env'), ''],
      [event, '{}'],
    ] as const)
      await writeFile(file, content)
    const all = {
      'vercel-token': place.token,
      'vercel-org-id': user.id,
      'vercel-project-id': projectId,
      'vercel-version': VERCEL,
      'github-comment': 'false',
      ...inputs,
    }
    const ran = await runCommand([node, join(folder, 'dist', 'index.js')], {
      cwd: work,
      env: {
        HOME: home,
        CI: 'true',
        // The home is the runner's; npm goes where it goes for us.
        npm_config_cache: join(kept, 'npx'),
        npm_config_yes: 'true',
        npm_config_userconfig: join(homedir(), '.npmrc'),
        ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
        GITHUB_ACTIONS: 'true',
        GITHUB_WORKSPACE: work,
        GITHUB_REPOSITORY: `ada/${name}`,
        GITHUB_REF: 'refs/heads/main',
        GITHUB_SHA: await git('rev-parse', 'HEAD'),
        GITHUB_EVENT_NAME: 'push',
        GITHUB_EVENT_PATH: event,
        GITHUB_ACTOR: 'ada',
        GITHUB_OUTPUT: output,
        GITHUB_ENV: join(home, 'env'),
        ...Object.fromEntries(
          Object.entries(all).map(([key, value]) => [`INPUT_${key.toUpperCase()}`, value]),
        ),
      },
    })
    if (ran.code !== 0) throw new Error(`ended with ${ran.code}: ${ran.all.trim().slice(-500)}`)
    return outputsOf(await readFile(output, 'utf8'))
  }
  const hostOf = (outputs: Record<string, string>) => new URL(outputs['preview-url'] ?? '').hostname

  await step('deploys a push', async () => {
    const outputs = await run(' hello', {})
    const host = hostOf(outputs)
    assert.equal(await place.visit(host), `<h1>${name} hello</h1>`)
    assert.equal(outputs['preview-name'], name)
    const { meta } = await place.api(`GET /v13/deployments/${host}`)
    assert.deepEqual(
      [meta.githubCommitSha, meta.githubCommitRef, meta.githubRepo],
      [await git('rev-parse', 'HEAD'), 'main', name],
    )
  })
  await step('vercel-args: --prod', async () => {
    await run(' one', { 'vercel-args': '--prod' })
    assert.equal(await place.visit(`${name}.localhost`), `<h1>${name} one</h1>`)
  })
  await step('alias-domains', async () => {
    await place.buy(`${name}.com`)
    const alias = `main.${name}.com`
    const outputs = await run(' two', { 'alias-domains': `{{BRANCH}}.${name}.com` })
    assert.equal(outputs['preview-url'], `https://${alias}`)
    assert.equal(await place.visit(alias), `<h1>${name} two</h1>`)
  })
}

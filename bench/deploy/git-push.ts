/**
 * A change of one file of a static site until it is live: `git push`, against `aloft deploy --prod` of the same change.
 * They take turns.
 *
 *   node bench/deploy/git-push.ts
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { oneConnection, send } from '../load/send.ts'
import { median, medianRatio } from '../measure/median.ts'
import { amount, rounds, warmUps } from '../measure/trial.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'
import { atMost, printRows, type Row } from '../report/row.ts'

const FILES = amount(1000, 20)
const ROUNDS = rounds(12)
const WARM_UPS = warmUps(3)
const TARGET = 1.5
const CLI = resolve(import.meta.dirname, '../../bin/aloft.js')

const environment = (home: string) => ({
  ...{ PATH: process.env.PATH, HOME: home, LC_ALL: 'C.UTF-8' },
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' },
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@aloft.test' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@aloft.test' },
})

/** Two folders with the same site: one is a repository, the other is linked to a project. */
function sites(home: string) {
  const run = (
    folder: string,
    command: string,
    args: readonly string[],
    env: Record<string, string> = {},
  ) => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...environment(home), ...env },
    })
    if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}: ${stdout}${stderr}`)
  }
  const make = (name: string) => {
    const folder = join(home, name)
    for (let n = 0; n < FILES; n++) {
      const section = join(folder, `section-${n % 25}`)
      mkdirSync(section, { recursive: true })
      writeFileSync(join(section, `page-${n}.html`), `<h1>Page ${n}</h1>${'words '.repeat(400)}${n}`)
    }
    return folder
  }
  return { run, pushed: make('pushed'), deployed: make('deployed') }
}

async function shows(platform: Platform, project: string, text: string): Promise<void> {
  const agent = oneConnection()
  try {
    const page = await send({ url: platform.url, headers: { host: `${project}.localhost` }, agent })
    if (page.body !== text) throw new Error(`${project} answered ${page.status} ${page.body.slice(0, 200)}`)
  } finally {
    agent.destroy()
  }
}

export async function run(): Promise<Row[]> {
  const platform = await startPlatform({}, { pinned: false })
  const home = mkdtempSync(join(tmpdir(), 'aloft-bench-'))
  try {
    const { run: must, pushed, deployed } = sites(home)
    const token = platform.headers.authorization?.replace('Bearer ', '') ?? ''
    const { user } = JSON.parse((await platform.call('/v2/user')).body)
    const remote = `${platform.url.replace('://', `://git:${token}@`)}/git/${user.username}/by-push.git`
    must(pushed, 'git', ['init', '-q', '-b', 'main'])
    must(pushed, 'git', ['remote', 'add', 'aloft', remote])
    const ways = {
      push(text: string) {
        writeFileSync(join(pushed, 'index.html'), text)
        must(pushed, 'git', ['add', '-A'])
        must(pushed, 'git', ['commit', '-q', '-m', text])
        return () => must(pushed, 'git', ['push', '-q', 'aloft', 'main'])
      },
      deploy(text: string) {
        writeFileSync(join(deployed, 'index.html'), text)
        const args = [CLI, 'deploy', '--prod', '--yes', '--name', 'by-deploy']
        const env = { ALOFT_BASE_URL: platform.url, ALOFT_TOKEN: token }
        return () => must(deployed, process.execPath, args, env)
      },
    }
    const times = { push: [] as number[], deploy: [] as number[] }
    for (let round = -WARM_UPS; round < ROUNDS; round++)
      for (const way of ['push', 'deploy'] as const) {
        const text = `${way} ${round}`
        const go = ways[way](text)
        const start = performance.now()
        go()
        const took = performance.now() - start
        await shows(platform, `by-${way}`, text)
        if (round >= 0) times[way].push(took)
      }
    console.error(`${median(times.push).toFixed(0)} ms against ${median(times.deploy).toFixed(0)} ms`)
    const what = `\`git push\` of one changed file of ${FILES.toLocaleString('en')} until it is live, against \`aloft deploy\``
    return [atMost('P22', what, medianRatio(times.push, times.deploy), TARGET)]
  } finally {
    await platform.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

if (import.meta.main) printRows(await run())

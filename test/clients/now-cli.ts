import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { binOf, plain } from './command-line.ts'
import type { Place } from './place.ts'
import type { Journey } from './report.ts'
import { type Ran, runCommand } from './run-command.ts'

/** The journey of the `now` command line, before it was called `vercel`. */
export async function nowJourney(place: Place, folder: string, { step }: Journey): Promise<void> {
  const program = await binOf(folder, 'now')
  const home = await place.folder('now')
  const config = join(home, 'config')
  await mkdir(config)
  const name = place.name('now')
  const work = join(home, name)
  await mkdir(work)
  await writeFile(join(work, 'index.html'), `<h1>${name}</h1>`)
  const env = {
    HOME: home,
    CI: '1',
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    NO_UPDATE_NOTIFIER: '1',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  }
  const bare = async (args: readonly string[], onOutput?: (all: string) => void): Promise<Ran> => {
    const ran = await runCommand(
      [process.execPath, program, ...args, '--api', place.secureUrl, '--global-config', config],
      { cwd: work, env, input: 'y\n', ...(onOutput ? { onOutput } : {}) },
    )
    const shown = { ...ran, stdout: plain(ran.stdout), all: plain(ran.all) }
    if (shown.code !== 0) throw new Error(`ended with ${shown.code}: ${shown.all.trim().slice(-400)}`)
    return shown
  }
  const now = (...args: readonly string[]): Promise<Ran> => bare([...args, '--token', place.token])
  const says = async (pattern: RegExp, ...args: readonly string[]): Promise<void> =>
    assert.match((await now(...args)).all, pattern)

  await step(
    'login',
    async () => {
      let accepted = false
      await bare(['login', place.email], (all) => {
        if (accepted || !/security code|Please/i.test(all)) return
        accepted = true
        void place.acceptLogin(place.email)
      })
    },
    {
      complaint: /\[ERR_INVALID_ARG_TYPE\]: The "code" argument must be of type number/,
      why: 'Under the Node.js of today this version ends with an error of its own; a token given with --token works',
    },
  )
  await step('whoami', () => says(new RegExp(place.username), 'whoami'))
  const host = await step('deploy', async () => {
    const { all } = await now('--confirm')
    const found = /https?:\/\/([a-z0-9-]+\.localhost)/.exec(all)?.[1]
    assert.ok(found, all.slice(-300))
    const { deployments } = await place.api(`GET /v3/platform/deployments?app=${name}`)
    assert.equal(await place.visit(deployments[0].url), `<h1>${name}</h1>`)
    return deployments[0].url as string
  })
  await step('deploy --prod', async () => {
    await writeFile(join(work, 'index.html'), `<h1>${name} two</h1>`)
    await now('--prod', '--confirm')
    assert.equal(await place.visit(`${name}.localhost`), `<h1>${name} two</h1>`)
  })
  await step('ls', () => says(new RegExp(name), 'ls', name))
  await step('inspect', () => says(/dpl_\w+/, 'inspect', host ?? ''))
  await step('logs', () => now('logs', host ?? ''))
  await step('secrets add', () => now('secrets', 'add', `${name}-secret`, 'value'))
  await step('secrets ls', () => says(new RegExp(`${name}-secret`), 'secrets', 'ls'))
  await step('secrets rm', () => now('secrets', 'rm', `${name}-secret`, '--yes'))
  const domain = `${name}.com`
  await place.buy(domain)
  await step('alias set', async () => {
    await now('alias', 'set', host ?? '', `shop.${domain}`)
    assert.equal(await place.visit(`shop.${domain}`), `<h1>${name}</h1>`)
  })
  await step('alias ls', () => says(new RegExp(`shop.${domain}`), 'alias', 'ls'))
  await step('alias rm', () => now('alias', 'rm', `shop.${domain}`, '--yes'))
  await step('domains ls', () => says(new RegExp(domain), 'domains', 'ls'))
  await step('dns add', () => now('dns', 'add', domain, 'mail', 'A', '192.0.2.8'))
  await step('dns ls', () => says(/192\.0\.2\.8/, 'dns', 'ls', domain))
  await step('certs issue', () => now('certs', 'issue', domain))
  await step('certs ls', () => says(new RegExp(domain), 'certs', 'ls'))
  await step('remove', () => now('rm', name, '--yes'))
}

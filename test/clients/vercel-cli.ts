import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { binOf, plain } from './command-line.ts'
import type { Place } from './place.ts'
import type { Journey } from './report.ts'
import { type Ran, type RunOptions, runCommand } from './run-command.ts'

type Options = Partial<RunOptions>

const hostIn = (text: string): string => {
  const host = /https?:\/\/([a-z0-9-]+\.localhost)/.exec(text)?.[1]
  assert.ok(host, `no address in: ${text.slice(0, 300)}`)
  return host
}

/** The journey of the `vercel` command line, in a folder and a home of its own. */
export const vercelJourney =
  (major: number) =>
  async (place: Place, folder: string, { step, cannot }: Journey): Promise<void> => {
    const program = await binOf(folder, 'vercel')
    const home = await place.folder('home')
    const config = join(home, 'config')
    await mkdir(config)
    const name = place.name('cli')
    const work = join(home, name)
    await mkdir(join(work, 'empty'), { recursive: true })
    await writeFile(join(work, 'index.html'), `<h1>${name}</h1>`)

    const env = {
      HOME: home,
      CI: '1',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      NO_UPDATE_NOTIFIER: '1',
      VERCEL_TELEMETRY_DISABLED: '1',
    }
    const bare = async (args: readonly string[], options: Options = {}): Promise<Ran> => {
      const command = [
        process.execPath,
        program,
        ...args,
        '--api',
        place.url,
        '--global-config',
        config,
      ] as const
      const ran = await runCommand(command as unknown as [string, ...string[]], {
        cwd: work,
        env,
        ...options,
      })
      const shown = { ...ran, stdout: plain(ran.stdout), all: plain(ran.all) }
      if (shown.code !== 0) throw new Error(`ended with ${shown.code}: ${shown.all.trim().slice(-500)}`)
      return shown
    }
    const vercel = (args: readonly string[], options?: Options): Promise<Ran> =>
      bare([...args, '--token', place.token, ...(major >= 44 ? ['--scope', place.username] : [])], options)
    const says = async (pattern: RegExp, args: readonly string[], options?: Options): Promise<Ran> => {
      const ran = await vercel(args, options)
      assert.match(ran.all, pattern)
      return ran
    }

    if (major < 44)
      await step('login', async () => {
        let accepted = false
        await bare(['login', place.email], {
          onOutput(all) {
            if (accepted || !/security code|Please/i.test(all)) return
            accepted = true
            void place.acceptLogin(place.email)
          },
        })
      })
    else
      cannot(
        'login',
        'This version signs in at vercel.com and nowhere else: make a token (`aloft tokens add`) and give it with --token or VERCEL_TOKEN.',
      )
    await step('whoami', () => says(/operator/, ['whoami']))
    await step('teams ls', () => says(/operator|No teams|team/i, ['teams', 'ls']))
    await step('link', () => vercel(['link', '--yes', ...(major >= 28 ? ['--project', name] : [])]))

    const preview = await step('deploy', async () => {
      const host = hostIn((await vercel(['deploy', '--yes'])).stdout)
      assert.equal(await place.visit(host), `<h1>${name}</h1>`)
      return host
    })
    await writeFile(join(work, 'index.html'), `<h1>${name} one</h1>`)
    const first = await step('deploy --prod', async () => {
      const host = hostIn((await vercel(['deploy', '--prod', '--yes'])).stdout)
      assert.equal(await place.visit(host), `<h1>${name} one</h1>`)
      return host
    })
    await writeFile(join(work, 'index.html'), `<h1>${name} two</h1>`)
    await step('deploy --prod (again)', () => vercel(['deploy', '--prod', '--yes']))
    const site = `${name}.localhost`
    await step('deploy (a function)', async () => {
      const other = join(home, `${name}-fn`)
      await mkdir(join(other, 'api'), { recursive: true })
      await writeFile(
        join(other, 'api', 'hello.js'),
        'module.exports = (req, res) => res.end("hello from a function")\n',
      )
      const host = hostIn((await vercel(['deploy', '--yes'], { cwd: other })).stdout)
      assert.equal(await place.visit(host, '/api/hello'), 'hello from a function')
    })
    if (major >= 24)
      await step('deploy --prebuilt', async () => {
        const built = join(home, `${name}-built`)
        await mkdir(join(built, '.vercel', 'output', 'static'), { recursive: true })
        await writeFile(join(built, '.vercel', 'output', 'config.json'), '{"version":3}')
        await writeFile(join(built, '.vercel', 'output', 'static', 'index.html'), 'prebuilt')
        await vercel(['link', '--yes', ...(major >= 28 ? ['--project', `${name}-built`] : [])], {
          cwd: built,
        })
        const host = hostIn((await vercel(['deploy', '--prebuilt', '--yes'], { cwd: built })).stdout)
        assert.equal(await place.visit(host), 'prebuilt')
      })

    await step('ls', () => says(new RegExp(name), ['ls', ...(major >= 28 ? ['--yes'] : []), name]))
    await step('project ls', () => says(new RegExp(name), ['project', 'ls']))
    await step('inspect', () => says(/dpl_\w+/, ['inspect', preview ?? '']))
    await step('logs', () =>
      vercel(
        ['logs', preview ?? ''],
        major >= 33 ? { until: /waiting for new logs|Fetching|Displaying|runtime logs/i } : {},
      ),
    )

    await step('env add', () => vercel(['env', 'add', 'GREETING', 'production'], { input: 'hello\n' }))
    await step('env add (development)', () =>
      vercel(['env', 'add', 'LOCAL', 'development'], { input: 'here\n' }),
    )
    await step('env ls', () => says(/GREETING/, ['env', 'ls']))
    await step('env pull', async () => {
      await vercel(['env', 'pull', '.env.pulled', '--yes'])
      assert.match(await readFile(join(work, '.env.pulled'), 'utf8'), /LOCAL="?here"?/)
    })
    if (major >= 28) await step('pull', () => vercel(['pull', '--yes', '--environment=production']))
    await step('env rm', () => vercel(['env', 'rm', 'GREETING', 'production', '--yes']))

    const domain = `${name}.com`
    await place.buy(domain)
    const alias = `shop.${domain}`
    await step('alias set', async () => {
      await vercel(['alias', 'set', first ?? '', alias])
      assert.equal(await place.visit(alias), `<h1>${name} one</h1>`)
    })
    await step('alias ls', () => says(new RegExp(alias), ['alias', 'ls']))
    await step('alias rm', () => vercel(['alias', 'rm', alias, '--yes']))

    await step('domains ls', () => says(new RegExp(domain), ['domains', 'ls']))
    await step('domains inspect', () => says(new RegExp(domain), ['domains', 'inspect', domain]))
    await step('domains add', () =>
      vercel(['domains', 'add', `www.${domain}`, ...(major < 44 ? [] : [name])]),
    )
    await step('dns add', () => vercel(['dns', 'add', domain, 'mail', 'A', '192.0.2.7']))
    await step('dns ls', () => says(/192\.0\.2\.7/, ['dns', 'ls', domain]))
    await step('dns rm', async () => {
      const { records } = await place.api(`GET /v2/domains/${domain}/records`)
      const record = records.find((each: { name: string }) => each.name === 'mail')
      await vercel(['dns', 'rm', record.id, ...(major >= 44 ? ['--yes'] : [])], { input: 'y\n' })
    })
    await step('certs issue', () => vercel(['certs', 'issue', domain]))
    await step('certs ls', () => says(new RegExp(domain), ['certs', 'ls']))

    if (major >= 29) {
      await step('promote', async () => {
        await vercel(['promote', first ?? '', '--yes'])
        assert.equal(await place.visit(site), `<h1>${name} one</h1>`)
      })
    }
    if (major >= 28) {
      await step('rollback', async () => {
        const { deployments } = await place.api(`GET /v3/platform/deployments?app=${name}&target=production`)
        const newest = deployments[0]
        const state = (await place.visit(site)) === `<h1>${name} one</h1>` ? newest.url : first
        await vercel(['rollback', state ?? '', '--yes'])
      })
      if (major >= 29)
        await step('redeploy', () =>
          vercel(['redeploy', first ?? '', ...(major >= 44 ? ['--target', 'production'] : [])]),
        )
    }
    await step('remove (a deployment)', () => vercel(['rm', preview ?? '', '--yes']))
    await step('remove (a project)', () => vercel(['rm', name, '--yes']))
  }

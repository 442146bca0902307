import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CliVersion, traitsOf } from './cli-version.ts'
import { binOf, plain } from './command-line.ts'
import type { Place } from './place.ts'
import type { KnownFailure, StepRecorder } from './report.ts'
import { type Ran, type RunOptions, runCommand } from './run-command.ts'

type Options = Partial<RunOptions>

const SECRETS_STAY: KnownFailure = {
  complaint: /The value of a secret can’t be read/,
  why: 'This version keeps variables as secrets, and what a secret holds is given to deployments alone',
}

const OWN_QUERIES: KnownFailure = {
  complaint: /Logs are available for team-owned projects only/,
  why: 'This version reads logs by queries of vercel.com, for teams alone, that this API does not have: use `aloft logs`',
}

/** The steps of a command line in a folder and a home of its own, with the Node.js of its time. */
export const cliSteps =
  (version: CliVersion) =>
  async (place: Place, folder: string, { step, cannot }: StepRecorder, node: string): Promise<void> => {
    const has = traitsOf(version)
    const program = await binOf(folder, version.command)
    const home = await place.folder('home')
    const config = join(home, 'config')
    await mkdir(config)
    const name = place.name('cli')
    const work = join(home, name)
    await mkdir(join(work, 'empty'), { recursive: true })
    const put = (text: string) => writeFile(join(work, 'index.html'), `<h1>${name}${text}</h1>`)
    await put('')

    const env = {
      HOME: home,
      CI: '1',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      NO_UPDATE_NOTIFIER: '1',
      NODE_NO_WARNINGS: '1',
      VERCEL_TELEMETRY_DISABLED: '1',
      ...(has.tls ? { NODE_TLS_REJECT_UNAUTHORIZED: '0' } : {}),
    }
    const bare = async (args: readonly string[], options: Options = {}): Promise<Ran> => {
      const ran = await runCommand(
        [node, program, ...args, '--api', has.tls ? place.secureUrl : place.url, '--global-config', config],
        { cwd: work, env, ...options },
      )
      const shown = { ...ran, stdout: plain(ran.stdout), all: plain(ran.all) }
      if (shown.code !== 0) throw new Error(`ended with ${shown.code}: ${shown.all.trim().slice(-500)}`)
      return shown
    }
    const cli = (args: readonly string[], options?: Options): Promise<Ran> =>
      bare([...args, '--token', place.token, ...(has.scope ? ['--scope', place.username] : [])], options)
    const says = async (pattern: RegExp, args: readonly string[], options?: Options): Promise<void> =>
      assert.match((await cli(args, options)).all, pattern)

    /** Says where it can be seen, and that is so. */
    async function deployed(app: string, args: readonly string[], options?: Options): Promise<string> {
      const { stdout } = await cli([...args, ...has.yes], options)
      assert.match(stdout, /https?:\/\/[a-z0-9-]+\.localhost/)
      const { deployments } = await place.api(`GET /v3/platform/deployments?app=${app}`)
      return deployments[0].url
    }

    if (has.login)
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
        'This version signs in at vercel.com and nowhere else: make a token (`aloft tokens create`) and give it with --token or VERCEL_TOKEN.',
      )
    await step('whoami', () => says(new RegExp(place.username), ['whoami']))
    await step('teams ls', () => says(/operator|No teams|team/i, ['teams', 'ls']))
    const link = (project: string) => [
      'link',
      ...has.yes,
      ...(has.namesProject ? ['--project', project] : []),
    ]
    if (has.link) await step('link', () => cli(link(name)))

    const preview = await step('deploy', async () => {
      const host = await deployed(name, ['deploy'])
      assert.equal(await place.visit(host), `<h1>${name}</h1>`)
      return host
    })
    const site = `${name}.localhost`
    await put(' one')
    const first = await step('deploy --prod', async () => {
      const host = await deployed(name, ['deploy', '--prod'])
      assert.equal(await place.visit(host), `<h1>${name} one</h1>`)
      assert.equal(await place.visit(site), `<h1>${name} one</h1>`)
      return host
    })
    await put(' two')
    const second = await step('deploy --prod (again)', async () => {
      const host = await deployed(name, ['deploy', '--prod'])
      assert.equal(await place.visit(site), `<h1>${name} two</h1>`)
      return host
    })
    await step('deploy (a function)', async () => {
      const cwd = join(home, `${name}-fn`)
      await mkdir(join(cwd, 'api'), { recursive: true })
      await writeFile(
        join(cwd, 'api', 'hello.js'),
        'module.exports = (req, res) => res.end("hello from a function")\n',
      )
      const host = await deployed(`${name}-fn`, ['deploy'], { cwd })
      assert.equal(await place.visit(host, '/api/hello'), 'hello from a function')
    })
    if (has.prebuilt)
      await step('deploy --prebuilt', async () => {
        const cwd = join(home, `${name}-built`)
        const output = join(cwd, '.vercel', 'output')
        await mkdir(join(output, 'static'), { recursive: true })
        await writeFile(join(output, 'config.json'), '{"version":3}')
        await writeFile(join(output, 'static', 'index.html'), 'prebuilt')
        await cli(link(`${name}-built`), { cwd })
        const host = await deployed(`${name}-built`, ['deploy', '--prebuilt'], { cwd })
        assert.equal(await place.visit(host), 'prebuilt')
      })

    if (has.build)
      await step('pull, build, deploy --prebuilt', async () => {
        const cwd = join(home, `${name}-ci`)
        await mkdir(cwd)
        await writeFile(
          join(cwd, 'package.json'),
          '{"scripts":{"build":"mkdir -p public && echo built > public/index.html"}}',
        )
        // Without it, earlier ones take yarn, which is not everywhere.
        await writeFile(join(cwd, 'package-lock.json'), '{"lockfileVersion":3,"packages":{}}')
        await cli(link(`${name}-ci`), { cwd })
        if (has.buildsFor !== undefined)
          await place.api(`PATCH /v9/projects/${name}-ci`, { nodeVersion: has.buildsFor })
        await cli(['pull', '--yes', '--environment=production'], { cwd })
        await cli(['build', '--prod', '--yes'], { cwd })
        await deployed(`${name}-ci`, ['deploy', '--prebuilt', '--prod'], { cwd })
        assert.equal((await place.visit(`${name}-ci.localhost`)).trim(), 'built')
      })

    if (has.environments) {
      await place.api(`POST /v9/projects/${name}/custom-environments`, { slug: 'staging' })
      await step('target ls', () => says(/staging/, ['target', 'ls']))
      await step('deploy --target=staging', async () => {
        const host = await deployed(name, ['deploy', '--target=staging'])
        const { customEnvironment } = await place.api(`GET /v8/platform/deployments/${host}`)
        assert.equal(customEnvironment.slug, 'staging')
      })
    }
    await step('ls', () => says(new RegExp(name), ['ls', ...(has.namesProject ? ['--yes'] : []), name]))
    if (has.projects) await step('project ls', () => says(new RegExp(name), ['project', 'ls']))
    await step('inspect', () => says(/dpl_\w+/, ['inspect', preview ?? '']))
    await step(
      'logs',
      () =>
        cli(
          ['logs', ...(has.queriesLogs ? ['--deployment'] : []), preview ?? ''],
          has.followsLogs ? { until: /waiting for new logs|Fetching|Displaying|runtime logs/i } : {},
        ),
      has.queriesLogs ? OWN_QUERIES : undefined,
    )

    if (has.env) {
      const kind = has.envKind ? ['plain'] : []
      await step('env add', () =>
        cli(['env', 'add', ...kind, 'GREETING', 'production'], { input: 'hello\n' }),
      )
      await step('env add (development)', () =>
        cli(['env', 'add', ...kind, 'LOCAL', 'development'], { input: 'here\n' }),
      )
      await step('env ls', () => says(/GREETING/, ['env', 'ls']))
      await step(
        'env pull',
        async () => {
          await cli(['env', 'pull', '.env.pulled', '--yes'])
          assert.match(await readFile(join(work, '.env.pulled'), 'utf8'), /LOCAL="?here/)
        },
        has.envInSecrets ? SECRETS_STAY : undefined,
      )
      if (has.pull) await step('pull', () => cli(['pull', '--yes', '--environment=production']))
      await step('env rm', async () => {
        await cli(['env', 'rm', 'GREETING', 'production', '--yes'])
        assert.doesNotMatch((await cli(['env', 'ls'])).all, /GREETING/)
      })
    }
    if (has.secrets) {
      const secret = `${name}-secret`
      await step('secrets add', () => cli(['secrets', 'add', secret, 'value']))
      await step('secrets ls', () => says(new RegExp(secret), ['secrets', 'ls']))
      await step('secrets rename', () => cli(['secrets', 'rename', secret, `${secret}-2`]))
      await step('secrets rm', async () => {
        await cli(['secrets', 'rm', `${secret}-2`, '--yes'], { input: 'y\n' })
        assert.doesNotMatch((await cli(['secrets', 'ls'])).all, new RegExp(secret))
      })
    }

    const domain = `${name}.com`
    await place.buy(domain)
    const alias = `shop.${domain}`
    await step('alias set', async () => {
      await cli(['alias', 'set', first ?? '', alias])
      assert.equal(await place.visit(alias), `<h1>${name} one</h1>`)
    })
    await step('alias ls', () => says(new RegExp(alias), ['alias', 'ls']))
    await step('alias rm', async () => {
      await cli(['alias', 'rm', alias, '--yes'])
      assert.doesNotMatch((await cli(['alias', 'ls'])).all, new RegExp(alias))
    })

    await step('domains ls', () => says(new RegExp(domain), ['domains', 'ls']))
    await step('domains inspect', () => says(new RegExp(domain), ['domains', 'inspect', domain]))
    await step('domains add', () =>
      cli([
        'domains',
        'add',
        has.addsSubdomains ? `www.${domain}` : `other-${domain}`,
        ...(has.domainsOfProject ? [name] : []),
      ]),
    )
    await step('dns add', () => cli(['dns', 'add', domain, 'mail', 'A', '192.0.2.7']))
    await step('dns ls', () => says(/192\.0\.2\.7/, ['dns', 'ls', domain]))
    await step('dns rm', async () => {
      const recordsOf = async (): Promise<{ id: string; name: string }[]> =>
        (await place.api(`GET /v2/domains/${domain}/records`)).records
      const record = (await recordsOf()).find((each) => each.name === 'mail')
      await cli(['dns', 'rm', record?.id ?? '', ...(has.asksBeforeRecord ? [] : ['--yes'])], { input: 'y\n' })
      assert.ok(!(await recordsOf()).some(({ id }) => id === record?.id))
    })
    await step('certs issue', () => cli(['certs', 'issue', domain]))
    await step('certs ls', () => says(new RegExp(domain), ['certs', 'ls']))

    if (has.promote)
      await step('promote', async () => {
        await cli(['promote', first ?? '', '--yes'])
        assert.equal(await place.visit(site), `<h1>${name} one</h1>`)
      })
    if (has.rollback)
      await step('rollback', async () => {
        const isFirst = (await place.visit(site)) === `<h1>${name} one</h1>`
        await cli(['rollback', (isFirst ? second : first) ?? '', '--yes'])
        assert.equal(await place.visit(site), `<h1>${name} ${isFirst ? 'two' : 'one'}</h1>`)
      })
    if (has.redeploy !== 'none')
      await step('redeploy', () =>
        cli(['redeploy', first ?? '', ...(has.redeploy === 'target' ? ['--target', 'production'] : [])]),
      )
    await step('remove (a deployment)', async () => {
      await cli(['rm', preview ?? '', '--yes'])
      assert.doesNotMatch(await place.visit(preview ?? ''), new RegExp(`<h1>${name}</h1>`))
    })
    await step('remove (a project)', async () => {
      await cli(['rm', name, '--yes'])
      assert.doesNotMatch(await place.visit(site), /<h1>/)
    })
  }

import assert from 'node:assert/strict'
import { type ExecFileException, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { build } from 'esbuild'
import { visit } from '#test/support/deploying.ts'
import { freePort } from '#test/support/free-port.ts'
import { type Installation, install } from '#test/support/installation.ts'
import { type Packed, pack } from '#test/support/program/package.ts'
import { rootMissing } from '#test/support/sandbox/sandbox.ts'

const root = resolve(import.meta.dirname, '../../..')
/** That of a machine which knows nothing of this clone: its own Node, whatever that is. */
const PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':')

let packed: Packed
let app: string
let aloft: Installation

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Somebody's shell in the folder where the package is installed. */
const shell = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> =>
  new Promise((done) => {
    const all = { ...process.env, PATH, HOME: app, ...env }
    execFile(command, args, { cwd: app, env: all, maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      done({ code: error ? Number((error as ExecFileException).code ?? -1) : 0, stdout, stderr }),
    )
  })

const ok = async (outcome: Promise<Outcome>): Promise<string> => {
  const { code, stdout, stderr } = await outcome
  assert.equal(code, 0, `${stdout}\n${stderr}`)
  return stdout
}

before(async () => {
  packed = await pack()
  app = await mkdtemp(join(tmpdir(), 'aloft-installed-'))
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  await ok(
    shell('npm', ['install', '--prefer-offline', '--omit=dev', '--no-audit', '--no-fund', packed.file], {
      // What was fetched before need not come again.
      HOME: process.env.HOME ?? app,
    }),
  )
  aloft = await install({ program: [join(app, 'node_modules/.bin/aloft'), 'server'], env: { PATH } })
})
after(async () => {
  await aloft?.remove()
  if (app) await rm(app, { recursive: true, force: true })
  await packed?.remove()
})

const credentials = () => ({ ALOFT_BASE_URL: aloft.url, ALOFT_TOKEN: aloft.token })
const inApp = (...args: readonly string[]) => shell(join(app, 'node_modules/.bin/aloft'), args, credentials())

/** Where the command line put a folder. */
async function deployed(folder: string, name: string): Promise<string> {
  const { url } = JSON.parse(await ok(inApp('deploy', join(root, folder), '--name', name, '--json')))
  return new URL(url).host
}

test('the package holds what runs, and nothing that only the clone needs', async () => {
  const files = (await ok(shell('tar', ['-tzf', packed.file]))).trim().split('\n')
  const strange = files.filter(
    (file) =>
      !/^package\/(bin|deploy|dist)\/|^package\/[\w.]+$/.test(file) ||
      (/\.tsx?$|[.-]test(ing)?\.|\/testing\//.test(file) && !file.endsWith('.d.ts')),
  )
  assert.deepEqual(strange, [])
  for (const needed of [
    'bin/aloft.js',
    'dist/main.js',
    'dist/dev.js',
    'dist/dashboard/index.html',
    'dist/launcher/python/main.py',
    'deploy/aloft.service',
  ])
    assert.ok(files.includes(`package/${needed}`), needed)
})

test('npx aloft says what it is and what it can do', async () => {
  assert.match(await ok(inApp('--version')), /^\d+\.\d+\.\d+\n$/)
  assert.match(await ok(shell('npx', ['aloft', '--help'])), /^Usage: aloft .*\n {2}server +\S/s)
  // These load what is not in the bundle.
  for (const command of ['server', 'operator restore'])
    assert.match(
      await ok(inApp(...command.split(' '), '--help')),
      new RegExp(`^Usage: aloft ${command} `),
      command,
    )
})

test('the server of the package has the dashboard, compressed when it was built', async () => {
  const page = await fetch(`${aloft.url}/`)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  const [, script = ''] = /<script type="module"[^>]* src="(\/assets\/[^"]+)"/.exec(await page.text()) ?? []
  const asset = await fetch(aloft.url + script, { headers: { 'accept-encoding': 'br' } })
  assert.deepEqual([asset.status, asset.headers.get('content-encoding')], [200, 'br'])
  assert.match(await asset.text(), /\bimport\b/)
})

test('aloft dev serves a folder, and ends with everything that it has started', async () => {
  const port = await freePort()
  const dev = spawn(
    join(app, 'node_modules/.bin/aloft'),
    ['dev', join(root, 'examples/static'), '--port', String(port)],
    { cwd: app, env: { ...process.env, PATH, HOME: app }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = once(dev, 'exit')
  let output = ''
  const isServing = new Promise<void>((resolve, reject) => {
    for (const stream of [dev.stdout, dev.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes(`:${port}`)) resolve()
      })
    ended.then(() => reject(new Error(`it ended:\n${output}`)), reject)
  })
  try {
    await isServing
    const text = await (await fetch(`http://localhost:${port}/`)).text()
    assert.match(text, /<title>Hello from Aloft<\/title>/)
  } finally {
    dev.kill('SIGTERM')
  }
  assert.deepEqual(await ended, [0, null])
  await assert.rejects(fetch(`http://localhost:${port}/`))
})

test('it works from a folder that it may not write to, and passes its exit code on', async () => {
  const { code, stderr } = await shell(join(app, 'node_modules/.bin/aloft'), ['nope'], { HOME: '/nowhere' })
  assert.equal(code, 2)
  assert.match(stderr, /unknown command 'nope'/)
})

test('the server of the package takes a site from the command line of the package', async () => {
  const { status, text } = await visit(aloft, await deployed('examples/static', 'hello'), { path: '/' })
  assert.equal(status, 200)
  assert.match(text, /<title>Hello from Aloft<\/title>/)
})

test('it builds and runs functions', { skip: rootMissing }, async () => {
  const host = await deployed('examples/function', 'fn')
  const { status, text } = await visit(aloft, host, { path: '/api/hello?name=you' })
  assert.deepEqual([status, JSON.parse(text).hello], [200, 'you'])
})

test('another program imports the client with its types, compiles, and deploys', async () => {
  await writeFile(
    join(app, 'consumer.ts'),
    `import { ApiError, createClient, deploy, type DeployEvent } from 'aloft/client'
import { getDeployment } from 'aloft/contract/deployment'
import { getUser } from 'aloft/contract/user'

const client = createClient({ baseUrl: process.env.ALOFT_BASE_URL ?? '', token: process.env.ALOFT_TOKEN })
const { user } = await client.call(getUser)
const email: string = user.email
// @ts-expect-error there is no such thing of a user
user.shoeSize
// @ts-expect-error a path with an id needs it
const unnamed = () => client.call(getDeployment)
const seen: DeployEvent['type'][] = []
let url: string | null = null
for await (const event of deploy({ client, folder: process.argv[2] ?? '', name: 'typed' })) {
  seen.push(event.type)
  if (event.type === 'ready') url = event.deployment.url
}
const missing = await client.call(getDeployment, { params: { id: 'dpl_none' } }).catch((error: unknown) => error)
console.log(JSON.stringify({ email, url, seen, code: missing instanceof ApiError && missing.code, unnamed: typeof unnamed }))
`,
  )
  // A consumer has these of its own; the package's declarations need neither.
  await mkdir(join(app, 'node_modules/@types'), { recursive: true })
  await symlink(join(root, 'node_modules/@types/node'), join(app, 'node_modules/@types/node'))
  await symlink(join(root, 'node_modules/undici-types'), join(app, 'node_modules/undici-types'))
  const options = {
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.asynciterable'], module: 'nodenext', outDir: 'out' },
    ...{ strict: true, exactOptionalPropertyTypes: true, types: ['node'], rootDir: '.' },
  }
  await writeFile(
    join(app, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['consumer.ts'] }),
  )
  // Each of several checkers would find out again what most types are.
  const compile = ['-p', '.', '--checkers', '1']
  await ok(shell(join(root, 'node_modules/.bin/tsc'), compile, { PATH: process.env.PATH ?? '' }))
  const output = JSON.parse(
    await ok(shell('npx', ['node', 'out/consumer.js', join(root, 'examples/static')], credentials())),
  )
  assert.deepEqual([output.email, output.code], ['operator@aloft.test', 'not_found'])
  assert.ok(output.seen.includes('collected') && output.seen.at(-1) === 'ready', output.seen.join())
  assert.equal((await visit(aloft, output.url, { path: '/' })).status, 200)
})

test('a page can bundle the client and the rows', async () => {
  const contents = `import { createClient } from 'aloft/client/web'
import { getUser } from 'aloft/contract/user'
globalThis.user = createClient({ baseUrl: location.origin }).call(getUser)`
  const { outputFiles, errors } = await build({
    stdin: { contents, resolveDir: app },
    ...{ bundle: true, platform: 'browser', format: 'esm', write: false, logLevel: 'silent' },
  })
  assert.deepEqual(errors, [])
  assert.doesNotMatch(outputFiles[0]?.text ?? '', /node:|process\.env/)
})

test('told to stop, it ends well', async () => {
  assert.equal(await aloft.stop(), 0)
})

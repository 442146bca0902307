/**
 * From a request for a program that does not run to its first answer, against `bwrap … node handler.js`. Both are
 * woken by this process, take turns, and answer over a unix socket.
 *
 *   node bench/site/cold-start.ts
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { build } from 'esbuild'
import { openSandbox } from '#adapters/sandbox-bwrap/open-sandbox.ts'
import { openWorkbench, USUAL_KIND } from '#test/ports/runner/workbench.ts'
import { compileCacheOf } from '#test/support/program/compile-cache.ts'
import { silentLog } from '#test/support/silent-log.ts'
import { median } from '../measure/median.ts'
import { rounds, warmUps } from '../measure/trial.ts'
import { atMost, beside, printRows, type Row } from '../report/row.ts'

const ROUNDS = rounds(25)
const WARM_UPS = warmUps(2)
const TINY = 'module.exports = (req, res) => res.end("hello")\n'
/** What a function of some size brings along: 1.4 MB. */
const PACKAGES = ['commander', 'ioredis', 'nodemailer', 'pg', 'tldts']
const SERVE = 'require("http").createServer(require("./handler.js")).listen("/run/h.sock")\n'

const answerAt = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({ socketPath, path: '/', headers: { host: 'a.test' } }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode === 200))
    })
    asked.once('error', () => resolve(false))
    asked.end()
  })

/** A handler as anybody would sandbox it: started for the first request. */
class Plain {
  readonly #folder: string
  #child: ChildProcess | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  static async make(folder: string, handler: string): Promise<Plain> {
    await mkdir(join(folder, 'run'), { recursive: true })
    await writeFile(join(folder, 'handler.js'), handler)
    await writeFile(join(folder, 'serve.js'), SERVE)
    return new Plain(folder)
  }

  async wake(): Promise<void> {
    const node = dirname(dirname(process.execPath))
    this.#child = spawn(
      'bwrap',
      [
        ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
        ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
        ...['--symlink', 'usr/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
        ...['--ro-bind', node, '/opt/node', '--ro-bind', this.#folder, '/var/task'],
        ...['--bind', join(this.#folder, 'run'), '/run', '--chdir', '/var/task', '--'],
        ...['/opt/node/bin/node', 'serve.js'],
      ],
      { stdio: 'ignore' },
    )
    while (!(await answerAt(join(this.#folder, 'run/h.sock')))) await pause(1)
  }

  async sleep(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    await rm(join(this.#folder, 'run/h.sock'), { force: true })
  }
}

async function bundle(): Promise<string> {
  const contents = `const all = [${PACKAGES.map((name) => `require(${JSON.stringify(name)})`).join()}]
    module.exports = (req, res) => res.end('hello ' + all.length)`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    ...{ bundle: true, platform: 'node', write: false, logLevel: 'silent' },
    external: ['pg-native'],
  })
  return outputFiles[0]?.text ?? ''
}

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const start = performance.now()
  await act()
  return performance.now() - start
}

/** Of our cold start to that of `bwrap node`, measured in turns. */
interface Ratios {
  readonly tiny: number
  readonly bundle: number
}

async function measure(): Promise<Ratios> {
  const ends: (() => unknown)[] = []
  const folder = await mkdtemp(join(tmpdir(), 'aloft-bench-'))
  const sandbox = await openSandbox({ mode: 'required', log: silentLog })
  try {
    const bench = await openWorkbench({ after: (end) => void ends.push(end as () => unknown) }, sandbox, {
      limits: { warm: 1 },
    })
    const compare = async (name: string, handler: string, cached: boolean) => {
      const plain = await Plain.make(join(folder, name), handler)
      const [ours, theirs] = [[] as number[], [] as number[]]
      for (let round = -WARM_UPS; round < ROUNDS; round++) {
        const ref = await bench.deploy({ files: { 'index.js': handler } })
        await bench.host.prewarm([USUAL_KIND])
        const [our, their] = [await timed(() => bench.get(ref)), await timed(() => plain.wake())]
        // What was compiled in the first round is kept for the others.
        while (cached && (await readdir(join(bench.folder, 'program-caches'))).length === 0) await pause(50)
        await plain.sleep()
        bench.host.forget(ref.deploymentId)
        if (round < 0) continue
        ours.push(our)
        theirs.push(their)
      }
      console.error(
        `${name}, ${sandbox.report.way}, ${sandbox.report.network} network: ${median(ours).toFixed(1)} ms against ${median(theirs).toFixed(1)} ms, ${(handler.length / 1e6).toFixed(1)} MB`,
      )
      return median(ours) / median(theirs)
    }
    return {
      tiny: await compare('tiny', TINY, false),
      bundle: await compare('bundle', await bundle(), true),
    }
  } finally {
    for (const end of ends) await end()
    await sandbox.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const MEASURE = '--measure'
const ORDINARY_UID = 65_534
const ORDINARY = ['--reuid', String(ORDINARY_UID), '--regid', String(ORDINARY_UID), '--clear-groups', '--']

/** The same, measured by somebody who is not root. */
async function measureAsOrdinaryUser(): Promise<Ratios> {
  const own = [process.execPath, import.meta.filename, MEASURE]
  // It may not write to ours, and would strip and compile every file by itself.
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCacheOf(ORDINARY_UID) }
  const child = spawn('setpriv', [...ORDINARY, ...own], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(child.stdout))
}

export async function run(): Promise<Row[]> {
  const against = 'sandboxed cold start to the first answer, against bwrap node'
  const here = await measure()
  const rows = [
    atMost('P5', `${against}, tiny handler`, here.tiny, 0.1),
    atMost('P5', `${against}, 1.4 MB bundle`, here.bundle, 0.4),
  ]
  // Who is not root measures itself above, and cannot read a clone in root's home.
  if (process.getuid?.() !== 0 || import.meta.filename.startsWith('/root/')) return rows
  const ordinary = await measureAsOrdinaryUser()
  return [
    ...rows,
    beside('P5', `${against}, tiny handler, an ordinary user`, ordinary.tiny),
    beside('P5', `${against}, 1.4 MB bundle, an ordinary user`, ordinary.bundle),
    atMost('P5', 'an ordinary user against root, tiny handler', ordinary.tiny / here.tiny, 1.5),
    atMost('P5', 'an ordinary user against root, 1.4 MB bundle', ordinary.bundle / here.bundle, 1.5),
  ]
}

if (process.argv.includes(MEASURE)) console.log(JSON.stringify(await measure()))
else if (import.meta.main) printRows(await run())

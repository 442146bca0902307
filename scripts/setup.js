// Makes a fresh clone runnable: installs what package-lock.json names and node_modules lacks.
// Plain JavaScript on purpose: it runs on whatever Node.js the machine has, before ours is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const OLDEST_NODE = [20, 19]
const RUNTIME_MAJOR = 24

/** True when every package this machine needs stands in node_modules at the locked version. */
export function isInstalled({ dev }) {
  const installedFile = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(installedFile)) return false
  const read = (file) => JSON.parse(readFileSync(file, 'utf8')).packages
  const wanted = read(join(root, 'package-lock.json'))
  const installed = read(installedFile)
  return Object.entries(wanted).every(
    ([path, { version, dev: devOnly, optional, devOptional }]) =>
      path === '' ||
      optional ||
      (devOnly && !dev) ||
      (devOptional && !dev) ||
      (installed[path]?.version === version && existsSync(join(root, path))),
  )
}

/** The path of a Node.js that runs our sources, or undefined when there is none. */
export function runtime() {
  const ours = join(root, 'node_modules/.bin/node')
  for (const node of [ours, process.execPath]) {
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    if (Number(stdout?.match(/^v(\d+)/)?.[1]) >= RUNTIME_MAJOR) return node
  }
}

/** Says which lock file was last found installed, so that a command need not compare everything again. */
const STAMP = join(root, 'node_modules/.aloft-installed')

function stampOfNow() {
  const times = ['package-lock.json', 'node_modules/.package-lock.json'].map(
    (name) => statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs,
  )
  return times.includes(undefined) ? undefined : times.join(' ')
}

/** For every command of a clone: `setup`, unless nothing has changed since it last went well. */
export function ensureInstalled() {
  const now = stampOfNow()
  try {
    if (now !== undefined && readFileSync(STAMP, 'utf8') === now) return
  } catch {
    // There was no such time.
  }
  setup({ dev: false })
  try {
    writeFileSync(STAMP, stampOfNow() ?? '')
  } catch {
    // Somebody else's clone: everything is compared each time.
  }
}

export function setup({ dev }) {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]))
    fail(`Node.js ${OLDEST_NODE.join('.')} or newer is needed to install Aloft; this is ${process.version}.`)

  if (!isInstalled({ dev })) {
    process.stderr.write('aloft: installing dependencies…\n')
    const npm = process.env.npm_execpath
    // A clone that somebody works on keeps what they work with.
    const keepsDev = dev || existsSync(join(root, 'node_modules/@biomejs/biome'))
    // No package of ours needs a script at its installation, and one would look for a compiler.
    const args = ['ci', '--ignore-scripts', '--loglevel=error', ...(keepsDev ? [] : ['--omit=dev'])]
    const isWindows = process.platform === 'win32'
    const install = (...more) =>
      npm?.endsWith('.js')
        ? spawnSync(process.execPath, [npm, ...args, ...more], { cwd: root, stdio: ['ignore', 2, 2] })
        : spawnSync('npm', [...args, ...more], { cwd: root, stdio: ['ignore', 2, 2], shell: isWindows })
    // The lock file says what is wanted, and by which sum. What npm has kept of it need not be asked for again, unless that is too old.
    const fromKept = install('--prefer-offline', '--loglevel=silent')
    const { status } = fromKept.status === 0 ? fromKept : install()
    if (status !== 0) fail('npm could not install the dependencies; the lines above say why.')
  }
  const node = runtime()
  if (!node)
    fail(
      `No Node.js ${RUNTIME_MAJOR} for ${process.platform}-${process.arch} came with the dependencies: install Node.js ${RUNTIME_MAJOR} and run this again.`,
    )
}

function fail(message) {
  process.stderr.write(`aloft: ${message}\n`)
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const builds = process.argv.includes('--build')
  setup({ dev: builds || process.argv.includes('--dev') })
  // By our own Node.js: the one that runs this may be older than what the builds need.
  if (builds) {
    build('build-dashboard.js', 'the dashboard')
    build('build-server.ts', 'the server')
  }
}

function build(script, what) {
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'scripts', script)]
  const { status } = spawnSync(runtime(), args, { stdio: ['ignore', 2, 2] })
  if (status !== 0) fail(`${what} could not be built; the lines above say why.`)
}

// `npm run build:dashboard`: builds src/dashboard into dist/dashboard, unless what is there is what it would make.
// Plain JavaScript on purpose, like setup.js: it runs before anything else does.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'dist/dashboard')
const stamp = join(folder, '.made-of')

/** A digest of everything that the dashboard is made of. */
export function madeOf() {
  const sum = createHash('sha1')
  const files = globSync(['src/{dashboard,client,contract}/**/*', 'package-lock.json'], { cwd: root })
  for (const file of files.sort()) {
    const path = join(root, file)
    if (!/\.test\.tsx?$/.test(file) && statSync(path).isFile())
      sum.update(`${file}\n`).update(readFileSync(path))
  }
  return sum.digest('hex')
}

export const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === madeOf()

/** Made aside and put in place whole: who starts meanwhile finds the old one or the new one, never half of it. */
export function buildDashboard(node) {
  const started = Date.now()
  process.stderr.write('aloft: building the dashboard…\n')
  const digest = madeOf()
  const aside = `${folder}.${process.pid}`
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const args = ['build', '--config', 'src/dashboard/vite.config.ts', '--logLevel', 'warn', '--outDir', aside]
  try {
    const { status } = spawnSync(node, [vite, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
    if (status !== 0) return false
    for (const file of globSync('**/*.{css,html,js,svg}', { cwd: aside })) shrink(join(aside, file))
    writeFileSync(join(aside, '.made-of'), digest)
    putInPlace(aside)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
  process.stderr.write(`aloft: the dashboard is built (${((Date.now() - started) / 1000).toFixed(1)} s)\n`)
  return true
}

function putInPlace(aside) {
  for (let tries = 3; ; tries--)
    try {
      rmSync(folder, { recursive: true, force: true })
      return renameSync(aside, folder)
    } catch (error) {
      // Somebody else has built it at the same moment, and was between these two steps as well.
      if (tries === 0 || !['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) throw error
    }
}

function shrink(file) {
  const bytes = readFileSync(file)
  if (bytes.length < 1024) return
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const node = join(root, 'node_modules/.bin/node')
  if (!isBuilt() && !buildDashboard(existsSync(node) ? node : process.execPath)) process.exit(1)
}

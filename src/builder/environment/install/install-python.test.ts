import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { strToU8, zipSync } from 'fflate'
import { installPython, pythonFault, pythonPackages } from './install-python.ts'

const PYTHON = '/usr/bin/python3'
const skip = (() => {
  try {
    execFileSync(PYTHON, ['-m', 'pip', '--version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'this machine has no Python with pip'
  }
})()

type Files = Readonly<Record<string, string>>

/** A package as an index would hand it out. */
function wheelOf(name: string, version: string, needs: readonly string[]): Uint8Array {
  const about = `${name}-${version}.dist-info`
  const lines = ['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`]
  const files: Files = {
    [`${name.startsWith('of_') ? `shared/${name}/__init__` : name}.py`]: `VERSION = ${JSON.stringify(version)}\n`,
    [`${about}/METADATA`]: [...lines, ...needs.map((need) => `Requires-Dist: ${need}`), ''].join('\n'),
    [`${about}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${about}/RECORD`]: '',
  }
  return zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])))
}

describe('installing what Python projects list', { skip, concurrency: 2 }, () => {
  let folder: string
  let hash: (name: string, version: string) => string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aloft-python-'))
    await mkdir(join(folder, 'wheels'))
    const hashes = new Map<string, string>()
    for (const [name, version, ...needs] of [
      ['aaa', '1.0', 'bbb>=1'],
      ['aaa', '1.5', 'bbb>=1'],
      ['aaa', '2.0', 'bbb>=1'],
      ['bbb', '1.0'],
      ['bbb', '1.1'],
      ['ccc', '1.0'],
      ['of_one', '1.0'],
      ['of_two', '1.0'],
      ['of_two', '2.0'],
    ] as const) {
      const wheel = wheelOf(name, version, needs)
      await writeFile(join(folder, 'wheels', `${name}-${version}-py3-none-any.whl`), wheel)
      hashes.set(`${name} ${version}`, `sha256:${createHash('sha256').update(wheel).digest('hex')}`)
    }
    hash = (name, version) => hashes.get(`${name} ${version}`) ?? assert.fail(`no ${name} ${version}`)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  async function install(list: string, files: Files, env: Files = {}, before?: string) {
    const root = before ?? (await mkdtemp(join(folder, 'project-')))
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    const [program = '', ...args] = installPython(list, PYTHON)
    const child = spawn(program, args, {
      cwd: root,
      env: {
        ...{ PATH: '/usr/bin:/bin', PIP_CONFIG_FILE: '/dev/null' },
        ...{ PIP_NO_INDEX: '1', PIP_FIND_LINKS: join(folder, 'wheels'), ...env },
      },
    })
    const [out, [code]] = await Promise.all([child.stdout.toArray(), once(child, 'close')])
    const installed = await readdir(join(root, pythonPackages(list))).catch(() => [])
    const packages = installed.flatMap((name) => /^(\w+-[\d.]+)\.dist-info$/.exec(name)?.[1] ?? [])
    return { root, code: code as number, said: Buffer.concat(out).toString(), packages: packages.sort() }
  }

  const uvLock = (damaged = false, registry = 'https://index.test/simple') => `version = 1
requires-python = ">=3.8"
[[package]]
name = "shop"
version = "0.1.0"
source = { virtual = "." }
dependencies = [{ name = "aaa" }, { name = "ccc", marker = "sys_platform == 'win32'" }]
[package.dev-dependencies]
dev = [{ name = "ccc" }]
[[package]]
name = "aaa"
version = "1.0"
source = { registry = "${registry}" }
dependencies = [{ name = "bbb" }]
wheels = [{ url = "https://index.test/a.whl", hash = "${damaged ? `sha256:${'0'.repeat(64)}` : hash('aaa', '1.0')}" }]
[[package]]
name = "bbb"
version = "1.0"
source = { registry = "${registry}" }
wheels = [{ url = "https://index.test/b.whl", hash = "${hash('bbb', '1.0')}" }]
[[package]]
name = "ccc"
version = "1.0"
source = { registry = "${registry}" }
wheels = [{ url = "https://index.test/c.whl", hash = "${hash('ccc', '1.0')}" }]
`
  const pipfileLock = () =>
    JSON.stringify({
      _meta: { sources: [] },
      default: {
        aaa: { version: '==1.5', hashes: [hash('aaa', '1.5')], index: 'pypi' },
        bbb: { version: '==1.0', hashes: [hash('bbb', '1.0')], markers: "python_version >= '3.6'" },
        ccc: { version: '==1.0', hashes: [hash('ccc', '1.0')], markers: "sys_platform == 'win32'" },
      },
      develop: { ccc: { version: '==1.0' } },
    })
  const poetryLock = () => `[[package]]
name = "aaa"
version = "1.0"
optional = false
files = [{ file = "a.whl", hash = "${hash('aaa', '1.0')}" }]
[package.dependencies]
bbb = ">=1"
[[package]]
name = "bbb"
version = "1.0"
optional = false
files = [{ file = "b.whl", hash = "${hash('bbb', '1.0')}" }]
[[package]]
name = "ccc"
version = "1.0"
optional = false
files = []
`

  const POETRY =
    '[tool.poetry.dependencies]\npython = "^3.8"\naaa = "^1.0"\n[tool.poetry.group.dev.dependencies]\nccc = "*"\n'
  const cases: readonly [what: string, list: string, files: () => Files, packages: readonly string[]][] = [
    [
      'dependencies of pyproject.toml, with markers',
      'pyproject.toml',
      () => ({
        'pyproject.toml': `[project]\nname = "shop"\nversion = "1"\ndependencies = ["aaa==1.0", "ccc; sys_platform == 'win32'"]\n`,
      }),
      ['aaa-1.0', 'bbb-1.1'],
    ],
    [
      'a pyproject.toml for tools alone',
      'pyproject.toml',
      () => ({ 'pyproject.toml': '[tool.ruff]\nline-length = 100\n' }),
      [],
    ],
    ['constraints of Poetry', 'pyproject.toml', () => ({ 'pyproject.toml': POETRY }), ['aaa-1.5', 'bbb-1.1']],
    [
      'poetry.lock, what it needs alone',
      'poetry.lock',
      () => ({ 'pyproject.toml': POETRY, 'poetry.lock': poetryLock() }),
      ['aaa-1.0', 'bbb-1.0'],
    ],
    ['uv.lock, what it needs alone', 'uv.lock', () => ({ 'uv.lock': uvLock() }), ['aaa-1.0', 'bbb-1.0']],
    [
      'pylock.toml',
      'pylock.toml',
      () => ({
        'pylock.toml': `lock-version = "1.0"
[[packages]]
name = "bbb"
version = "1.0"
[[packages.wheels]]
url = "https://index.test/b.whl"
hashes = { sha256 = "${hash('bbb', '1.0').slice(7)}" }
`,
      }),
      ['bbb-1.0'],
    ],
    ['Pipfile.lock', 'Pipfile.lock', () => ({ 'Pipfile.lock': pipfileLock() }), ['aaa-1.5', 'bbb-1.0']],
    [
      'Pipfile',
      'Pipfile',
      () => ({ Pipfile: '[packages]\naaa = "<2"\nbbb = { version = "*" }\n[dev-packages]\nccc = "*"\n' }),
      ['aaa-1.5', 'bbb-1.1'],
    ],
  ]
  for (const [what, list, files, packages] of cases)
    it(what, async () => {
      const done = await install(list, files())
      assert.equal(done.code, 0, done.said)
      assert.deepEqual(done.packages, packages)
    })

  it('takes packages from the folder of wheels that uv.lock names', async () => {
    const lock = uvLock(false, join(folder, 'wheels'))
    const done = await install('uv.lock', { 'uv.lock': lock }, { PIP_FIND_LINKS: '' })
    assert.equal(done.code, 0, done.said)
    assert.deepEqual(done.packages, ['aaa-1.0', 'bbb-1.0'])
  })

  it('compiles packages the same way every time, and notices when a build changes one', async () => {
    // Named as a module of Python's own, which compiling needs.
    const files = { 'requirements.txt': 'aaa', 'struct.py': 'raise SystemExit(1)' }
    const compiledIn = async (root: string): Promise<readonly [string, string][]> => {
      const folder = join(root, '_vendor/__pycache__')
      const names = (await readdir(folder)).sort()
      return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'base64')]))
    }
    const versionOf = (root: string): string =>
      execFileSync(PYTHON, ['-B', '-c', 'import aaa; print(aaa.VERSION)'], {
        ...{ cwd: join(root, '_vendor'), encoding: 'utf8' },
      })
    const [first, second] = [
      await install('requirements.txt', files),
      await install('requirements.txt', files),
    ]
    const compiled = await compiledIn(first.root)
    assert.deepEqual(
      compiled.map(([name]) => name.replace(/\.cpython-\d+/, '')),
      ['aaa.pyc', 'bbb.pyc'],
    )
    assert.deepEqual(compiled, await compiledIn(second.root))
    await writeFile(join(first.root, '_vendor/aaa.py'), 'VERSION = "patched"\n')
    assert.match(versionOf(first.root), /^patched$/m)
  })

  it('installs a list below the folder of the code beside it', async () => {
    const lines = { 'api/requirements.txt': 'aaa' }
    const plain = await install('api/requirements.txt', lines, { PIP_FIND_LINKS: '../wheels' })
    assert.deepEqual(plain.packages, ['aaa-2.0', 'bbb-1.1'], plain.said)
    const names = await readdir(join(plain.root, 'api/_vendor/__pycache__'))
    const code = await readFile(join(plain.root, 'api/_vendor/__pycache__', names[0] ?? ''), 'latin1')
    assert.match(code, /\/var\/task\/api\/_vendor\/aaa\.py/)
    const project = '[project]\nname = "shop"\nversion = "1"\ndependencies = ["./wheels/ccc"]\n'
    const lock = await install('api/uv.lock', { 'api/uv.lock': uvLock(), 'api/pyproject.toml': project })
    assert.deepEqual(lock.packages, ['aaa-1.0', 'bbb-1.0'], lock.said)
  })

  it('finds the files that variables name from the folder of the code, and those of a list from its own', async () => {
    const fromCode = { PIP_FIND_LINKS: '../wheels' }
    const lock = await install('api/x/uv.lock', { 'api/x/uv.lock': uvLock() }, fromCode)
    assert.deepEqual(lock.packages, ['aaa-1.0', 'bbb-1.0'], lock.said)
    const wheel = '../../../wheels/aaa-1.5-py3-none-any.whl'
    const path = `[tool.poetry.dependencies]\naaa = { path = "${wheel}" }\n`
    const own = await install('api/[id]/pyproject.toml', { 'api/[id]/pyproject.toml': path }, fromCode)
    assert.deepEqual(own.packages, ['aaa-1.5', 'bbb-1.1'], own.said)
    const wheels = uvLock(false, '../../wheels')
    const named = await install('api/uv.lock', { 'api/uv.lock': wheels }, { PIP_FIND_LINKS: '' })
    assert.deepEqual(named.packages, ['aaa-1.0', 'bbb-1.0'], named.said)
  })

  it('gives each of two lists the versions that it asks for', async () => {
    const { root } = await install('a/requirements.txt', { 'a/requirements.txt': 'aaa==1.0' })
    await install('b/requirements.txt', { 'b/requirements.txt': 'aaa==2.0' }, {}, root)
    const versionIn = (folder: string) => readFile(join(root, folder, '_vendor/aaa.py'), 'utf8')
    assert.deepEqual(await Promise.all(['a', 'b'].map(versionIn)), ['VERSION = "1.0"\n', 'VERSION = "2.0"\n'])
  })

  it('leaves packages that are there, also where packages share a folder', async () => {
    const { root } = await install('requirements.txt', { 'requirements.txt': 'aaa\nof_one\nof_two==1.0\n' })
    const again = await install('requirements.txt', { 'requirements.txt': 'of_two\nccc\n' }, {}, root)
    assert.equal(again.code, 0, again.said)
    const names = async (path: string) =>
      (await readdir(join(root, path))).filter((name) => !/^__/.test(name))
    assert.deepEqual((await names('_vendor/shared')).sort(), ['of_one', 'of_two'])
    assert.match(await readFile(join(root, '_vendor/shared/of_two/__init__.py'), 'utf8'), /2\.0/)
    for (const name of ['aaa.py', 'bbb.py', 'ccc.py'])
      assert.ok((await names('_vendor')).includes(name), name)
    assert.deepEqual((await names('.')).sort(), ['_vendor', 'requirements.txt'])
  })

  it('refuses a package that is not what the lock file says', async () => {
    const { code, said } = await install('uv.lock', { 'uv.lock': uvLock(true) })
    assert.notEqual(code, 0)
    assert.match(said, /HASH/i)
  })

  it('says what pip cannot do', async () => {
    const { code, said } = await install('Pipfile', { Pipfile: '[packages]\naaa = "^1 || ^2"\n' })
    assert.match(said, /^Pipfile cannot be read: .*alternatives/)
    assert.match(pythonFault(code, 'Pipfile'), /^The packages in Pipfile could not be installed/)
  })

  it('says when the index cannot be reached', async () => {
    // Nobody listens on it.
    const env = { PIP_NO_INDEX: '', PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '1' }
    const { code, said } = await install('requirements.txt', { 'requirements.txt': 'zzz' }, env)
    assert.equal(code, 75, said)
    assert.match(pythonFault(code, 'requirements.txt'), /^The Python package index could not be reached/)
  })
})

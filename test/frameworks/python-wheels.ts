import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { strFromU8, unzipSync } from 'fflate'

/** The Python of the machine, which builds use as well: wheels are made for one version. */
const PYTHON = '/usr/bin/python3'
const FOLDER = 'wheels'

/** What tells pip, in a build, to use nothing but the wheels among the files. */
export const FROM_WHEELS: Readonly<Record<string, string>> = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: FOLDER }

type Wheels = ReadonlyMap<string, Buffer>

/**
 * The wheels of packages and of what they need, from wherever the pip of this machine gets them. They are deployed with
 * an application, so that its build works where no index of packages can be reached.
 */
export async function downloadWheels(packages: readonly string[]): Promise<Wheels> {
  const folder = await mkdtemp(join(tmpdir(), 'aloft-wheels-'))
  try {
    const usual = ['-m', 'pip', 'download', '--quiet', '--only-binary=:all:', '--dest', folder]
    await promisify(execFile)(PYTHON, [...usual, ...packages])
    const names = (await readdir(folder)).sort()
    return new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
    )
  } catch (error) {
    throw new Error(`the pip of this machine gets no ${packages.join(', ')}`, { cause: error })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const wheelFiles = (wheels: Wheels): Record<string, Buffer> =>
  Object.fromEntries([...wheels].map(([name, content]) => [`${FOLDER}/${name}`, content]))

/** A lock file as uv writes one of a project that takes its packages from a folder of wheels. */
export function uvLockOf(project: string, direct: readonly string[], wheels: Wheels): string {
  const packages = [...wheels].map(([file, content]) => {
    const metadata = metadataOf(content)
    return {
      file,
      name: normal(field(metadata, 'Name')),
      version: field(metadata, 'Version'),
      metadata,
      content,
    }
  })
  const known = new Set(packages.map(({ name }) => name))
  const needs = (metadata: string): readonly string[] =>
    [...metadata.matchAll(/^Requires-Dist: ([\w.-]+)(.*)$/gm)].flatMap(([, name = '', rest = '']) =>
      known.has(normal(name)) && !/extra\s*==/.test(rest) ? [normal(name)] : [],
    )
  const list = (names: readonly string[]) => names.map((name) => `{ name = "${name}" }`).join(', ')
  const entries = packages.map(
    ({ file, name, version, metadata, content }) => `[[package]]
name = "${name}"
version = "${version}"
source = { registry = "${FOLDER}" }
dependencies = [${list(needs(metadata))}]
wheels = [{ path = "${file}", hash = "sha256:${createHash('sha256').update(content).digest('hex')}" }]
`,
  )
  const own = `[[package]]
name = "${project}"
version = "1.0.0"
source = { virtual = "." }
dependencies = [${list(direct)}]
`
  return ['version = 1\nrequires-python = ">=3.10"\n', own, ...entries].join('\n')
}

function metadataOf(wheel: Buffer): string {
  const files = unzipSync(wheel, { filter: ({ name }) => name.endsWith('.dist-info/METADATA') })
  const [metadata] = Object.values(files)
  if (metadata === undefined) throw new Error('a wheel without METADATA')
  return strFromU8(metadata)
}

const field = (metadata: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(metadata)?.[1]?.trim() ?? ''
const normal = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-')

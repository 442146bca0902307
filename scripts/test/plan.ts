import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What one process of a test run has to do. */
export interface Unit {
  readonly name: string
  readonly files: readonly string[]
  /** How much of a core it uses while it runs: the rest of the time it waits for a network, a disk or a timer. */
  readonly share: number
}

interface Kind {
  readonly name: string
  readonly files: string
  readonly share: number
  /** So many processes take all files of the kind in turn; without it every file has a process of its own. */
  readonly processes?: number
}

/**
 * In the order in which they are begun: the longest first, so that none of them is what everybody waits for in the end.
 * Loading the server costs a process more than most files do with it, so files that leave nothing behind share one.
 */
const KINDS: readonly Kind[] = [
  { name: 'e2e', files: 'test/e2e/*.test.ts', share: 0.8 },
  { name: 'dashboard', files: 'test/dashboard/*.test.ts', share: 1 },
  { name: 'faults', files: 'test/{acme,dns,faults,bench}/*.test.ts', share: 0.5 },
  { name: 'api', files: 'test/api/*.test.ts', share: 0.5, processes: 4 },
  { name: 'ports', files: 'test/ports/*.test.ts', share: 0.4, processes: 4 },
  { name: 'src', files: 'src/**/*.test.ts', share: 1, processes: 6 },
  { name: 'other', files: 'test/**/*.test.ts', share: 1 },
]

/** The files that take longest of their kind, by name. The others follow in the order of the alphabet. */
const LONG = [
  'apps',
  'several-machines',
  'package',
  'functions',
  'guide',
  'deployment',
  'project-domain-traffic',
]

const rank = (file: string): number => {
  const at = LONG.indexOf(basename(file, '.test.ts'))
  return at === -1 ? LONG.length : at
}

/**
 * What changes the whole process while it is tested: the clock of Node.js, its folder, what new files may be read by. Or
 * what runs the file once more, in a process with a network of its own.
 */
const CHANGES_PROCESS =
  /\bmock\.(timers|module|method\(globalThis)|\bprocess\.(umask|chdir)\(|\binOwnNamespaces\(/

export const mustBeAlone = (source: string): boolean => CHANGES_PROCESS.test(source)

function unitsOf({ name, share, processes }: Kind, files: readonly string[], root: string): Unit[] {
  const own = (file: string): Unit => ({ name: file, files: [file], share })
  if (processes === undefined) return files.map(own)
  const [alone, together]: [string[], string[]] = [[], []]
  for (const file of files)
    (mustBeAlone(readFileSync(join(root, file), 'utf8')) ? alone : together).push(file)
  const batches = Array.from({ length: Math.min(processes, together.length) }, (_, n) => ({
    name: `${name} ${n + 1}`,
    files: together.filter((_file, i) => i % processes === n),
    share,
  }))
  return [...batches, ...alone.map(own)]
}

/** Every test file below root, once. */
export function planOf(root: string): Unit[] {
  const taken = new Set<string>()
  return KINDS.flatMap((kind) => {
    const files = globSync(kind.files, { cwd: root }).filter((file) => !taken.has(file))
    for (const file of files) taken.add(file)
    files.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en'))
    return unitsOf(kind, files, root)
  })
}

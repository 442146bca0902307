import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createReaches } from './reaches.ts'

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

/** Loading the server costs a process more than most files do with it, so files that leave nothing behind share one. */
const KINDS: readonly Kind[] = [
  // The API in their own process, and a browser beside it that needs most of a core and serves all files of the process.
  { name: 'browser', files: 'test/{dashboard,e2e/browser}/*.test.ts', share: 1, processes: 2 },
  { name: 'e2e', files: 'test/e2e/**/*.test.ts', share: 0.4 },
  { name: 'faults', files: 'test/{acme,dns,faults,bench}/*.test.ts', share: 0.3 },
  // They start git hundreds of times. To start a program takes a process longer the more memory it has, and those that run
  // many other files have much.
  { name: 'git', files: 'test/api/git/*.test.ts', share: 0.7, processes: 3 },
  // Likewise they start programs all the time, and load little themselves.
  {
    name: 'programs',
    files:
      '{src/{launcher,builder,cli,adapters/{git-cli,sandbox-bwrap,sandbox-network}}/**,test/ports/{runner,sandbox}/**}/*.test.ts',
    share: 0.5,
    processes: 3,
  },
  { name: 'api', files: 'test/api/**/*.test.ts', share: 0.5, processes: 3 },
  { name: 'ports', files: 'test/ports/**/*.test.ts', share: 0.4, processes: 2 },
  { name: 'src', files: 'src/**/*.test.ts', share: 1, processes: 3 },
  { name: 'other', files: 'test/**/*.test.ts', share: 1 },
]

/**
 * Seconds that files took in a whole run on two cores. Those that are not named take a second or two. `npm test -- --times`
 * writes it anew.
 */
export const TIMES_FILE = join(import.meta.dirname, 'times.json')
const TIMES: Readonly<Record<string, number>> = JSON.parse(readFileSync(TIMES_FILE, 'utf8'))
const secondsOf = (file: string): number => TIMES[file] ?? 1

/** The table is of the embedded database. On PostgreSQL each installation has a database, and twice the servers, to start. */
const slowness = (): number => (process.env.ALOFT_TEST_SEVERAL === '1' ? 3 : 1)

/**
 * After so long a file has failed: something in it waits for what never comes. Machines may be slower than the one that
 * the table is of, and busy.
 */
export const timeoutMsOf = (file: string, slower = slowness()): number =>
  1000 * slower * Math.min(15 * 60, 120 + 6 * secondsOf(file))

const sum = (files: readonly string[]): number => files.reduce((all, file) => all + secondsOf(file), 0)
const longestFirst = (a: string, b: string): number => secondsOf(b) - secondsOf(a) || a.localeCompare(b, 'en')

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
  const batches = Array.from({ length: Math.min(processes, together.length) }, (): string[] => [])
  // Each to the one that has the least to do so far.
  for (const file of together) batches.reduce((a, b) => (sum(b) < sum(a) ? b : a)).push(file)
  return [...batches.map((files, n) => ({ name: `${name} ${n + 1}`, files, share })), ...alone.map(own)]
}

/** The same with several servers where there is one otherwise: they take more of a core, so fewer fit beside each other. */
export const withSeveral = (units: readonly Unit[]): Unit[] =>
  units.map((unit) => ({ ...unit, share: Math.min(1, 2 * unit.share) }))

/** Tells files that `npm run test:postgres` changes anything for: whatever it changes, it does by this one. */
export const hasDatabase = (root: string): ((file: string) => boolean) =>
  createReaches(root, 'test/support/several.ts')

/**
 * Every test file below root that is meant, once: the longest first, so that none of them is what everybody waits for in
 * the end.
 */
export function planOf(root: string, isMeant: (file: string) => boolean = () => true): Unit[] {
  const taken = new Set<string>()
  const units = KINDS.flatMap((kind) => {
    const files = globSync(kind.files, { cwd: root }).filter((file) => !taken.has(file))
    for (const file of files) taken.add(file)
    return unitsOf(kind, files.filter(isMeant).sort(longestFirst), root)
  })
  return units.sort((a, b) => sum(b.files) - sum(a.files))
}

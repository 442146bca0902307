import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY, HOUR } from '#contract/time.ts'
import type { TidyOptions } from '#core/git/git-repositories.ts'
import { ASIDE } from './aside.ts'
import { unlock } from './in-turn.ts'
import { packRefs } from './list-refs.ts'
import type { GitRun } from './run-git.ts'

/** What was found when a repository was last tidied. */
interface Tidied {
  readonly at: number
  readonly refs: string
  /** Whether nothing was left that no ref leads to. */
  readonly isClean: boolean
}

const TIDIED = 'aloft-tidied'
/** One that changes little is packed anew this often; one that has grown untidy, as soon as it is looked at. */
const EVERY = 7 * DAY
const MANY_LOOSE = 500
const MANY_PACKS = 10
const TIDY_MS = HOUR

/**
 * Packs a repository anew without what no ref leads to and nobody added since `before`. Git itself sees to it that
 * people can push and fetch meanwhile: what is pushed is new, and a file goes only after what it held is in another.
 */
export async function tidyRepository(
  at: string,
  run: (args: readonly string[], more?: Partial<GitRun>) => Promise<Buffer>,
  { before, now, drop, signal }: TidyOptions,
): Promise<boolean> {
  await unlock(at)
  // Half a pack of a run that was killed; git would take it for one. There is one run at a time.
  await removeLeftovers(join(at, 'objects/pack'), ['.tmp-'], 0)
  const list = async () => (await run(['for-each-ref', '--format=%(objectname) %(refname)'])).toString('utf8')
  const dropped = (await list()).split('\n').flatMap((line) => {
    const ref = line.slice(line.indexOf(' ') + 1)
    return ref !== '' && drop(ref) ? [`delete ${ref}\0\0`] : []
  })
  const config = { 'repack.writeBitmaps': 'false' }
  const writing = { writable: true, timeoutMs: TIDY_MS, signal, config }
  if (dropped.length > 0) await run(['update-ref', '-z', '--stdin'], { ...writing, input: dropped.join('') })
  await packRefs((args) => run(args, writing))
  const refs = createHash('sha256')
    .update(await list())
    .digest('hex')
  const count = async () => {
    const text = (await run(['count-objects', '-v'])).toString('utf8')
    const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
    return { loose: of('count'), packs: of('packs') }
  }
  const found = await count()
  const last = await readTidied(at)
  if (last?.refs === refs && last.isClean && found.loose === 0 && found.packs <= 1) return false
  const isUntidy = found.loose > MANY_LOOSE || found.packs > MANY_PACKS
  if (last && !isUntidy && now - last.at < EVERY) return false
  const expiry = String(Math.floor(before / 1000))
  await run(['repack', '-d', '-l', '-q', '--cruft', `--cruft-expiration=${expiry}`], writing)
  await run(['prune', `--expire=${expiry}`], writing)
  await removeLeftovers(at, [ASIDE.remote])
  const left = await count()
  const tidied: Tidied = { at: now, refs, isClean: left.loose === 0 && left.packs <= 1 }
  await writeFile(join(at, TIDIED), JSON.stringify(tidied), { mode: 0o600 })
  return true
}

async function readTidied(at: string): Promise<Tidied | undefined> {
  try {
    return JSON.parse(await readFile(join(at, TIDIED), 'utf8')) as Tidied
  } catch {
    return undefined
  }
}

/** What was begun by a process that was killed since: nothing takes as long as a day. */
export async function removeLeftovers(folder: string, prefixes: readonly string[], age = DAY): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!prefixes.some((prefix) => name.startsWith(prefix))) continue
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs >= age)
      await rm(join(folder, name), { recursive: true, force: true })
  }
}

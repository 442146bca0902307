import { Readable } from 'node:stream'
import { AloftError } from '#contract/errors.ts'
import type { Context } from '../../access/context.ts'
import type { Project } from '../../project/project.ts'
import type { GitHttpAnswer, GitRepositories } from '../git-repositories.ts'
import type { Push } from '../push/push.ts'
import type { Pushes, RefUpdate } from '../push/pushes.ts'
import type { RepositoryRoom } from '../repository-room.ts'
import { FLUSH, KEEP_ALIVE, PacketReader, packet, progress } from './pkt-line.ts'
import { type Commands, readCommands } from './read-commands.ts'
import { readReport } from './read-report.ts'

export interface ReceiveParts {
  readonly pushes: Pick<Pushes, 'begin' | 'received'>
  /** Hands a request over to git. */
  readonly serve: (
    repository: string,
    body: AsyncIterable<Uint8Array>,
    options: { readonly signal: AbortSignal; readonly maxBytes: number },
  ) => Promise<GitHttpAnswer>
  /** The largest push. */
  readonly maxBytes: number
  /** The most branches and tags that a repository can have. */
  readonly maxRefs: number
  readonly repositories: Pick<GitRepositories, 'refs'>
  readonly room: RepositoryRoom
  /** What is told of a push until there is nothing more to tell. */
  readonly follow: (push: Push, signal: AbortSignal) => AsyncIterable<string>
  /** Through which door it comes. */
  readonly door: 'git' | 'ssh'
}

/** The project that is pushed to. */
interface Target {
  /** Undefined where there is none yet. */
  readonly find: () => Promise<Project | undefined>
  /** Makes it where there is none. */
  readonly open: () => Promise<Project>
}

/** What the pusher is sent. */
interface ReceiveAnswer {
  /** As of HTTP. */
  readonly status: number
  readonly body: Readable
}

const KEEP_ALIVE_MS = 5000

/**
 * Takes a push. It is remembered before git takes it, and git's word that it has goes out only after that is recorded:
 * whoever was told that a push was taken can rely on it. Then the pusher sees what is done about it. The project is made
 * where something is pushed to it.
 */
export async function receivePack(
  parts: ReceiveParts,
  ctx: Context,
  target: Target,
  source: AsyncIterable<Uint8Array>,
): Promise<ReceiveAnswer> {
  const gone = new AbortController()
  const commands = await readCommands(source)
  const { updates, refusal, capabilities } = commands
  const isBanded = capabilities.has('side-band-64k')
  const refuse = async (why: string): Promise<ReceiveAnswer> => {
    await drain(commands.body)
    return { status: 200, body: Readable.from([refused(commands, why, isBanded)]) }
  }
  if (refusal !== undefined) return refuse(refusal)
  // Git asks in this way whether it may push, before it sends much.
  if (updates.length === 0) return { status: 200, body: Readable.from([]) }
  let maxBytes = parts.maxBytes
  // What is deleted takes no room.
  if (updates.some(({ after }) => after !== null))
    try {
      maxBytes = Math.min(maxBytes, await parts.room(ctx.owner.id))
    } catch (error) {
      if (!(error instanceof AloftError) || error.kind !== 'quota_exceeded') throw error
      return refuse(error.message)
    }
  const tooMany = await tooManyRefs(parts, target, updates)
  if (tooMany !== undefined) return refuse(tooMany)
  const project = await target.open()
  const has = (name: string) =>
    commands.pushOptions.some((option) => option === name || option === `${name}=true`)
  const begun = await parts.pushes.begin(ctx, project, updates, {
    source: parts.door,
    ...(has('prod') ? { prod: true } : {}),
    ...(has('force') ? { force: true } : {}),
  })
  const answer = await parts.serve(project.id, commands.body, { signal: gone.signal, maxBytes })
  const received = (report: Buffer) => parts.pushes.received(project, begun, readReport(report))
  const told = { begun, nowait: has('nowait') }
  const output = isBanded
    ? banded(parts, answer, { ...told, received }, gone.signal)
    : plain(answer, received)
  const body = Readable.from(output, { objectMode: false })
  body.once('close', () => gone.abort())
  return { status: answer.status, body }
}

/**
 * Why a push is refused that would leave a repository with more branches and tags than it can have. Pushes that come at
 * the same time do not know of each other: together they may add more, and the next one is refused.
 */
async function tooManyRefs(
  { maxRefs, repositories }: Pick<ReceiveParts, 'maxRefs' | 'repositories'>,
  { find }: Target,
  updates: readonly RefUpdate[],
): Promise<string | undefined> {
  // Git itself sees to it that what is said to be moved is there.
  if (!updates.some(({ before, after }) => before === null && after !== null)) return undefined
  const project = await find()
  const known = project === undefined ? new Map() : await repositories.refs(project.id)
  const all = new Set(known.keys())
  for (const { ref, after } of updates)
    if (after === null) all.delete(ref)
    else all.add(ref)
  if (all.size <= maxRefs || all.size <= known.size) return undefined
  const [most, has] = [maxRefs, known.size].map((number) => number.toLocaleString('en'))
  return `a repository can have at most ${most} branches and tags; this one has ${has}. Delete those that are no longer needed`
}

interface ReceivedPush {
  readonly begun: readonly Push[]
  readonly nowait: boolean
  readonly received: (report: Buffer) => Promise<void>
}

/** An older client, which is told nothing but what became of its refs. */
async function* plain(
  answer: GitHttpAnswer,
  received: (report: Buffer) => Promise<void>,
): AsyncGenerator<Buffer, void> {
  const chunks: Buffer[] = []
  for await (const chunk of answer.body as AsyncIterable<Buffer>) chunks.push(chunk)
  const report = Buffer.concat(chunks)
  await received(report)
  yield report
}

async function* banded(
  parts: Pick<ReceiveParts, 'follow'>,
  answer: GitHttpAnswer,
  { begun, nowait, received }: ReceivedPush,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const reader = new PacketReader()
  const reports: Buffer[] = []
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    reader.add(chunk)
    for (let next = reader.next(); next !== 'wait'; next = reader.next()) {
      if (next === undefined) continue
      if (next[0] === 1) reports.push(Buffer.from(next))
      else yield packet(next)
    }
  }
  await answer.ended.catch(() => undefined)
  const report = Buffer.concat(reports.map((each) => each.subarray(1)))
  await received(report)
  for (const each of reports) yield packet(each)
  const taken = new Set(
    readReport(report).flatMap(({ ref, refusal }) => (refusal === undefined ? [ref] : [])),
  )
  for (const push of begun) {
    if (!taken.has(push.ref)) continue
    if (nowait) yield progress('The push is stored and is being deployed.\n')
    else yield* lines(parts.follow(push, signal))
  }
  yield FLUSH
}

/** With signs of life where nothing is said for a while. */
async function* lines(source: AsyncIterable<string>): AsyncGenerator<Buffer, void> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    let next = iterator.next()
    for (;;) {
      const quiet = Promise.withResolvers<'quiet'>()
      const timer = setTimeout(() => quiet.resolve('quiet'), KEEP_ALIVE_MS)
      const result = await Promise.race([next, quiet.promise]).finally(() => clearTimeout(timer))
      if (result === 'quiet') {
        yield KEEP_ALIVE
        continue
      }
      if (result.done) return
      next = iterator.next()
      yield progress(`${clean(result.value)}\n`)
    }
  } finally {
    await iterator.return?.()
  }
}

/** What programs of others wrote cannot move a cursor or colour a terminal. */
const clean = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken away
  line.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '')

function refused({ updates }: Commands, why: string, isBanded: boolean): Buffer {
  const report = Buffer.concat([
    packet('unpack ok\n'),
    ...updates.map(({ ref }) => packet(`ng ${ref} ${why}\n`)),
    FLUSH,
  ])
  return isBanded ? Buffer.concat([packet(Buffer.concat([Buffer.from([1]), report])), FLUSH]) : report
}

const MAX_DRAINED = 64 * 1024 * 1024

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_DRAINED) return
  }
}

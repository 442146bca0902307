import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { AloftError } from '#contract/errors.ts'
import type { Context } from '../../access/context.ts'
import type { Project } from '../../project/project.ts'
import { createTurns } from '../../turns.ts'
import { LATE, withinTime } from '../../within-time.ts'
import type { GitHttpAnswer, GitRepositories } from '../git-repositories.ts'
import type { Push } from '../push/push.ts'
import type { Pushes, RefUpdate } from '../push/pushes.ts'
import type { HeldRoom, PushRoom } from '../repository-room.ts'
import { FLUSH, inBand, KEEP_ALIVE, PacketReader, packet, progress } from './pkt-line.ts'
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
  readonly room: PushRoom
  /** What is told of a push until there is nothing more to tell. */
  readonly follow: (push: Push, signal: AbortSignal) => AsyncIterable<string>
  readonly source: 'git' | 'ssh'
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

/** Pushes of one account of which it is being read at the same time what they are to change. */
const heads = createTurns(16)

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
  // What a push is to change is in memory as a whole, and may come as slowly as its sender likes.
  const commands = await heads.run(ctx.owner.id, () => readCommands(source))
  const { updates, refusal, capabilities } = commands
  const isBanded = capabilities.has('side-band-64k')
  const refuse = async (why: string): Promise<ReceiveAnswer> => {
    await drain(commands.body)
    return { status: 200, body: Readable.from([refused(commands, why, isBanded)]) }
  }
  if (refusal !== undefined) return refuse(refusal)
  // Git asks in this way whether it may push, before it sends much.
  if (updates.length === 0) return { status: 200, body: Readable.from([]) }
  // What is deleted takes no room.
  const takesRoom = updates.some(({ after }) => after !== null)
  if (takesRoom) {
    const noRoom = await unlessExceeded(parts.room.left(ctx.owner.id))
    if (typeof noRoom === 'string') return refuse(noRoom)
  }
  const tooMany = await tooManyRefs(parts, target, updates)
  if (tooMany !== undefined) return refuse(tooMany)
  const project = await target.open()
  const held = takesRoom ? await unlessExceeded(parts.room.hold(ctx.owner.id, project.id)) : undefined
  if (typeof held === 'string') return refuse(held)
  try {
    return await receiveHeld(parts, ctx, { project, commands, held })
  } catch (error) {
    await held?.release()
    throw error
  }
}

/** Why there is no room, where there is none. */
const unlessExceeded = <T>(room: Promise<T>): Promise<T | string> =>
  room.catch((error: unknown) => {
    if (!(error instanceof AloftError) || error.kind !== 'quota_exceeded') throw error
    return error.message
  })

interface Receiving {
  readonly project: Project
  readonly commands: Commands
  readonly held: HeldRoom | undefined
}

async function receiveHeld(
  parts: ReceiveParts,
  ctx: Context,
  { project, commands, held }: Receiving,
): Promise<ReceiveAnswer> {
  const gone = new AbortController()
  const { updates, capabilities } = commands
  const isBanded = capabilities.has('side-band-64k')
  const has = (name: string) =>
    commands.pushOptions.some((option) => option === name || option === `${name}=true`)
  const begun = await parts.pushes.begin(ctx, project, updates, {
    source: parts.source,
    ...(has('prod') ? { prod: true } : {}),
    ...(has('force') ? { force: true } : {}),
  })
  const maxBytes = Math.min(parts.maxBytes, held?.most ?? parts.maxBytes)
  const source = new HeldBody(commands.body, held)
  const answer = await parts.serve(project.id, source.read(), { signal: gone.signal, maxBytes })
  const received = async (report: Buffer): Promise<Buffer> => {
    const said = source.refusal === undefined ? report : reportOf(commands, source.refusal)
    // What is made of it takes room as well, and its sender may follow that for long.
    await (held ? held.release() : parts.room.measure(project.id))
    await parts.pushes.received(project, begun, readReport(said))
    return said
  }
  const told = { begun, nowait: has('nowait') }
  const output = isBanded
    ? banded(parts, answer, { ...told, received }, gone.signal)
    : plain(answer, received)
  const body = Readable.from(output, { objectMode: false })
  body.once('close', () => {
    gone.abort()
    // However it ended, and whoever has left: what git has taken is counted.
    const isOver = answer.ended.catch(() => undefined)
    if (held) void isOver.then(() => held.release()).catch(() => undefined)
  })
  return { status: answer.status, body }
}

const NOTHING_HELD = Promise.resolve()

/** What is pushed, for which room is held as it comes. It breaks off where there is no more. */
class HeldBody {
  readonly #body: AsyncIterable<Uint8Array>
  readonly #held: HeldRoom | undefined
  /** Why it broke off. */
  refusal: string | undefined

  constructor(body: AsyncIterable<Uint8Array>, held: HeldRoom | undefined) {
    this.#body = body
    this.#held = held
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    let [came, dropped] = [0, 0]
    for await (const chunk of this.#body) {
      came += chunk.length
      if (this.refusal === undefined) {
        const refusal = await unlessExceeded(this.#held?.came(came) ?? NOTHING_HELD)
        if (typeof refusal === 'string') this.refusal = refusal
        else yield chunk
      }
      // Its sender reads the answer after the last of it was sent.
      if (this.refusal !== undefined) dropped += chunk.length
      if (dropped > MAX_DRAINED) return
    }
  }
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
  /** Answers what its sender is told. */
  readonly received: (report: Buffer) => Promise<Buffer>
}

/** An older client, which is told nothing but what became of its refs. */
async function* plain(
  answer: GitHttpAnswer,
  received: (report: Buffer) => Promise<Buffer>,
): AsyncGenerator<Buffer, void> {
  const report = await buffer(answer.body)
  await answer.ended.catch(() => undefined)
  yield await received(report)
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
  const said = await received(report)
  if (said === report) for (const each of reports) yield packet(each)
  else yield inBand(1, said)
  const taken = new Set(readReport(said).flatMap(({ ref, refusal }) => (refusal === undefined ? [ref] : [])))
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
      const result = await withinTime(next, KEEP_ALIVE_MS)
      if (result === LATE) {
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

const reportOf = ({ updates }: Commands, why: string): Buffer =>
  Buffer.concat([packet('unpack ok\n'), ...updates.map(({ ref }) => packet(`ng ${ref} ${why}\n`)), FLUSH])

function refused(commands: Commands, why: string, isBanded: boolean): Buffer {
  const report = reportOf(commands, why)
  return isBanded ? Buffer.concat([inBand(1, report), FLUSH]) : report
}

const MAX_DRAINED = 64 * 1024 * 1024

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_DRAINED) return
  }
}

import type { Readable } from 'node:stream'
import type { ServerChannel } from 'ssh2'
import { AloftError } from '#contract/errors.ts'
import type { Origin } from '#contract/origins.ts'
import { MINUTE } from '#contract/time.ts'
import type { Memberships } from '#core/access/authorise.ts'
import type { Actor, Context } from '#core/access/context.ts'
import { enterRepository, projectOfRepository } from '#core/git/enter-repository.ts'
import { EMPTY_REPOSITORY, GitError, type GitRepositories } from '#core/git/git-repositories.ts'
import { inTurn } from '#core/git/git-turns.ts'
import { PacketReader } from '#core/git/protocol/pkt-line.ts'
import { type ReceiveParts, receivePack } from '#core/git/protocol/receive-pack.ts'
import type { Push } from '#core/git/push/push.ts'
import type { Pushes } from '#core/git/push/pushes.ts'
import type { PushRoom } from '#core/git/repository-room.ts'
import type { Log } from '#core/ports/log.ts'
import type { Turns } from '#core/turns.ts'
import type { GitCommand } from './git-command.ts'
import type { Outgoing } from './outgoing.ts'

export interface GitSessionParts {
  readonly pushes: Pushes
  readonly repositories: GitRepositories
  readonly follow: (push: Push, signal: AbortSignal) => AsyncIterable<string>
  readonly teams: Memberships
  readonly origin: Origin
  /** The largest push. */
  readonly maxBytes: number
  /** The most branches and tags of a repository. */
  readonly maxRefs: number
  /** Of the runs of git, by account. */
  readonly turns: Turns
  readonly room: PushRoom
  readonly log: Log
}

/** Nothing comes and nothing goes for so long: nobody is there any more. */
const IDLE = 10 * MINUTE
const NOT_THERE = 'There is no such repository, or this key has no access to it.'

/** Who asks for something, and on which channel. */
export interface Client {
  readonly outgoing: Outgoing
  readonly channel: ServerChannel
  /** The version of git's protocol that it would like to speak. */
  readonly protocol: string | undefined
  /** Aborted when it has left. */
  readonly left: AbortSignal
}

/** Does what a client asks for, and answers the exit status. What goes wrong is told on the client's terminal. */
export async function serveGit(
  parts: GitSessionParts,
  actor: Actor,
  command: GitCommand,
  { outgoing, channel, protocol, left }: Client,
): Promise<number> {
  // They may have left while it was asked who they are.
  if (left.aborted) return 1
  const gone = new AbortController()
  const leave = () => gone.abort()
  channel.once('close', leave)
  left.addEventListener('abort', leave, { once: true })
  const idle = setTimeout(leave, IDLE)
  const wire: Wire = { outgoing, channel, gone, active: () => idle.refresh() }
  try {
    const owner = await enterRepository(parts.teams, actor, command.account, command.service)
    const ctx: Context = { actor, owner, origin: parts.origin, log: parts.log }
    const name = projectOfRepository(command.repository)
    await (command.service === 'git-upload-pack'
      ? upload(parts, ctx, name, wire, protocol)
      : receive(parts, ctx, name, wire))
    return 0
  } catch (error) {
    if (gone.signal.aborted) return 1
    channel.stderr.write(`${wordsOf(error, parts.log)}\n`)
    return 1
  } finally {
    clearTimeout(idle)
  }
}

function wordsOf(error: unknown, log: Log): string {
  if (error instanceof AloftError) return error.kind === 'forbidden' ? NOT_THERE : error.message
  log.error({ err: error }, 'git over SSH failed')
  if (error instanceof GitError) return 'Git failed. Try again. If it keeps failing, contact your operator.'
  return 'The platform failed. Try again. If it keeps failing, contact your operator.'
}

/** A client at the other end. */
interface Wire {
  readonly outgoing: Outgoing
  readonly channel: ServerChannel
  /** Aborted once nobody is there any more. */
  readonly gone: AbortController
  /** Something came or went. */
  readonly active: () => void
}

async function upload(
  { pushes, repositories, turns }: GitSessionParts,
  ctx: Context,
  name: string,
  wire: Wire,
  protocol: string | undefined,
): Promise<void> {
  const project = await pushes.find(ctx, name)
  if (!project) throw new AloftError('not_found', NOT_THERE)
  await repositories.ensure(project.id)
  const { signal } = wire.gone
  const { output, ended } = await inTurn(turns, ctx.owner.id, () =>
    repositories.uploadPack(project.id, { input: received(wire), protocol, signal }),
  )
  await send(output, wire)
  await ended
}

/**
 * The two steps of a push over HTTP, one after the other on one connection: what the repository holds, and then what
 * is to change.
 */
async function receive(parts: GitSessionParts, ctx: Context, name: string, wire: Wire): Promise<void> {
  const { pushes, repositories, maxBytes, turns } = parts
  const known = await pushes.find(ctx, name)
  const id = known?.id ?? EMPTY_REPOSITORY
  await repositories.ensure(id)
  const { signal } = wire.gone
  const refs = await inTurn(turns, ctx.owner.id, () =>
    repositories.http(id, {
      method: 'GET',
      path: '/info/refs',
      query: 'service=git-receive-pack',
      maxBytes,
      signal,
    }),
  )
  await send(withoutServiceLine(refs.body), wire)
  await refs.ended
  const serve: ReceiveParts['serve'] = (repository, body, options) =>
    inTurn(turns, ctx.owner.id, () =>
      repositories.http(repository, {
        method: 'POST',
        path: '/git-receive-pack',
        query: '',
        contentType: 'application/x-git-receive-pack-request',
        body,
        ...options,
      }),
    )
  const target = { find: () => pushes.find(ctx, name), open: () => pushes.open(ctx, name) }
  const answer = await receivePack({ ...parts, serve, source: 'ssh' }, ctx, target, received(wire))
  signal.addEventListener('abort', () => answer.body.destroy(), { once: true })
  await send(answer.body, wire)
}

async function* received({ channel, active }: Wire): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of channel.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    active()
    yield chunk
  }
}

async function send(
  source: AsyncIterable<Buffer> | Readable,
  { outgoing, channel, gone, active }: Wire,
): Promise<void> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    gone.signal.throwIfAborted()
    active()
    await outgoing.send(channel, chunk, gone.signal)
  }
}

/** HTTP has a line in front that names the service, and the end of that part. */
async function* withoutServiceLine(body: Readable): AsyncGenerator<Buffer, void> {
  const reader = new PacketReader()
  let left = 2
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (left === 0) {
      yield chunk
      continue
    }
    reader.add(chunk)
    while (left > 0 && reader.next() !== 'wait') left--
    if (left === 0 && reader.rest.length > 0) yield reader.rest
  }
}

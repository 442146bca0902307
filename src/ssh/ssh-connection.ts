import type { Socket } from 'node:net'
import type { Connection, ServerChannel, Session } from 'ssh2'
import type { Actor } from '#core/access/context.ts'
import type { Counts } from '#core/counts.ts'
import { onlyOnce } from '#core/only-once.ts'
import type { SshKeys } from '#core/ssh-key/ssh-keys.ts'
import { readAttempt } from './authenticate.ts'
import { type GitCommand, readGitCommand } from './git-command.ts'
import { type Client, type GitSessionParts, serveGit } from './git-session.ts'
import { Outgoing } from './outgoing.ts'
import type { RateLimit } from './rate-limit.ts'
import type { SshLimits } from './ssh-limits.ts'

export interface SshConnectionParts extends GitSessionParts {
  readonly keys: Pick<SshKeys, 'holder' | 'used'>
  readonly pace: RateLimit
  /** Commands of each user, on all connections. */
  readonly commands: Counts
}

/** Answers that the other end has not read: all commands of a connection together have less than that on their way. */
const UNREAD = 1024 * 1024
/** What is sent goes out in packets as small as the client says. Each costs as much as a large one, and of none there is no end. */
const LEAST_PACKET = 1024

/** How git names the version of its protocol that it would like to speak. */
const PROTOCOL = /^[a-z0-9=:.-]{1,100}$/i

/** One connection, from the first byte to the last. */
export class SshConnection {
  readonly #socket: Socket
  readonly #parts: SshConnectionParts
  readonly #limits: SshLimits
  /** Until somebody has signed in, and from then on while nothing is done for them. */
  #deadline: NodeJS.Timeout
  #connection: Connection | undefined
  #actor: Actor | undefined
  /** Of the key that they have signed in with. */
  #fingerprint = ''
  #attempts = 0
  #hasAsked = false
  #rekeys = 0
  #commands = 0
  #isEnding = false
  /** Those of commands that are not over, and what says that their clients have left. */
  readonly #channels = new Set<ServerChannel>()
  readonly #sessions = new Set<() => void>()

  constructor(socket: Socket, parts: SshConnectionParts, limits: SshLimits) {
    this.#socket = socket
    this.#parts = parts
    this.#limits = limits
    this.#deadline = setTimeout(() => this.cut(), limits.signInMs)
    socket.on('error', () => this.cut())
    socket.once('close', () => {
      for (const leave of this.#sessions) leave()
      clearTimeout(this.#deadline)
    })
  }

  /** The other end has said that it speaks SSH. */
  speak(connection: Connection): void {
    this.#connection = connection
    connection.on('error', () => this.cut())
    connection.on('rekey', () => this.#rekeyed())
    // After the library, which has read these bytes by then.
    this.#socket.on('data', (chunk: Buffer) => this.#received(chunk.length))
    connection.on('authentication', (ctx) => {
      const refuse = () => ctx.reject(['publickey'])
      // In this way clients ask once what they may sign in with.
      if (ctx.method === 'none' && !this.#hasAsked) {
        this.#hasAsked = true
        return refuse()
      }
      if (++this.#attempts > this.#limits.maxAttempts) return this.cut()
      readAttempt(this.#parts.keys, ctx).then(
        (attempt) => {
          if (attempt === undefined) return refuse()
          if (attempt.isProven) {
            this.#actor = attempt.actor
            this.#fingerprint = attempt.fingerprint
          }
          ctx.accept()
        },
        (error: unknown) => {
          this.#parts.log.error({ err: error }, 'a key could not be looked up')
          this.cut()
        },
      )
    })
    connection.on('ready', () => this.#rest())
    connection.on('session', (accept, reject) => {
      const { maxCommands, maxCommandsOfUser } = this.#limits
      const actor = this.#actor
      if (this.#isEnding || actor === undefined || this.#commands >= maxCommands) return reject()
      if (this.#parts.commands.of(actor.user.id) >= maxCommandsOfUser) return reject()
      clearTimeout(this.#deadline)
      const outgoing = new Outgoing(this.#socket, connection, (bytes) =>
        this.#parts.pace(actor.user.id, bytes),
      )
      this.#serve(accept(), actor, outgoing)
    })
  }

  /** Sees to it that the other end keeps to what it may send, reads its answers, and waits for its turn among all. */
  #received(bytes: number): void {
    const socket = this.#socket
    if (this.#actor === undefined) {
      if (socket.bytesRead > this.#limits.signInBytes) this.cut()
      return
    }
    // The library says how much clients may send ahead, counts it, and takes whatever comes beyond it.
    const isBeyond = [...this.#channels].some(({ incoming }) => incoming.window < 0)
    if (isBeyond || socket.writableLength > UNREAD) {
      this.cut()
      return
    }
    const turn = this.#parts.pace(this.#actor.user.id, bytes)
    if (turn === undefined) return
    socket.pause()
    void turn.then(() => socket.resume())
  }

  /** Clients exchange keys again after a gigabyte or an hour. Before they have signed in they never do. */
  #rekeyed(): void {
    const { maxRekeys, rekeyBytes } = this.#limits
    const { bytesRead, bytesWritten } = this.#socket
    const most =
      this.#actor === undefined ? 0 : maxRekeys + Math.floor((bytesRead + bytesWritten) / rekeyBytes)
    if (++this.#rekeys > most) this.cut()
  }

  /** Takes nothing new, and ends when what was begun is over. */
  finish(): void {
    this.#isEnding = true
    if (this.#commands === 0) this.#end()
  }

  cut(): void {
    this.#socket.destroy()
  }

  #end(): void {
    if (this.#connection === undefined) this.cut()
    else this.#connection.end()
  }

  /** Nothing is done for them: they may ask for something else for a while. */
  #rest(): void {
    clearTimeout(this.#deadline)
    if (this.#socket.destroyed) return
    if (this.#isEnding) {
      this.#end()
      return
    }
    this.#deadline = setTimeout(() => this.#end(), this.#limits.idleMs)
  }

  #serve(session: Session, actor: Actor, outgoing: Outgoing): void {
    const { commands } = this.#parts
    let protocol: string | undefined
    let opened: ServerChannel | undefined
    commands.add(actor.user.id, 1)
    this.#commands++
    const left = new AbortController()
    let isServing = false
    // A session of which nothing is asked, or nothing more, counts like one that is idle.
    const wait = () => setTimeout(() => this.cut(), this.#limits.idleMs)
    let unused = wait()
    const over = () => {
      this.#sessions.delete(leave)
      if (opened !== undefined) this.#channels.delete(opened)
      commands.add(actor.user.id, -1)
      if (--this.#commands === 0) this.#rest()
    }
    // What is done for somebody who has left takes memory until it has ended.
    const leave = onlyOnce(() => {
      clearTimeout(unused)
      left.abort()
      if (!isServing) over()
    })
    this.#sessions.add(leave)
    session.on('close', leave)
    /** Nothing where there is a command already, and none that could be answered. */
    const begin = (channel: ServerChannel | undefined): ServerChannel | undefined => {
      if (channel === undefined || channel.outgoing.packetSize < LEAST_PACKET) {
        this.cut()
        return undefined
      }
      opened = channel
      this.#channels.add(channel)
      channel.on('error', () => channel.close())
      return channel
    }
    const finish = (channel: ServerChannel | undefined, words: string) => {
      channel?.stderr.write(`${words}\n`)
      channel?.exit(1)
      channel?.end()
    }
    session.on('env', (accept, reject, { key, val }) => {
      if (key !== 'GIT_PROTOCOL' || !PROTOCOL.test(val)) return reject?.()
      protocol = val
      accept?.()
    })
    session.on('shell', (accept) =>
      finish(
        begin(accept()),
        `You are signed in as ${actor.user.username}. There is no shell access; use this address with git.`,
      ),
    )
    session.on('exec', (accept, _reject, { command }) => {
      const channel = begin(accept())
      const wanted = readGitCommand(command)
      if (!wanted)
        return finish(
          channel,
          'Only git is served here, such as: git clone ssh://git@<host>:<port>/<account>/<project>.git',
        )
      if (channel === undefined) return
      clearTimeout(unused)
      isServing = true
      this.#serveGit(wanted, { outgoing, channel, protocol, left: left.signal }).then((code) => {
        isServing = false
        channel.exit(code)
        channel.end()
        if (left.signal.aborted) over()
        else unused = wait()
      })
    })
  }

  /** A connection may outlast the key that it was begun with: whose that is, is asked for each command. */
  async #serveGit(command: GitCommand, client: Client): Promise<number> {
    try {
      const actor = await this.#parts.keys.holder(this.#fingerprint)
      if (actor !== undefined && actor.token.id === this.#actor?.token.id)
        return await serveGit(this.#parts, actor, command, client)
      client.channel.stderr.write('This key was removed. Sign in again with another one.\n')
    } catch (error) {
      this.#parts.log.error({ err: error }, 'a key could not be looked up')
      client.channel.stderr.write(
        'The platform failed. Try again. If it keeps failing, contact your operator.\n',
      )
    }
    this.#isEnding = true
    return 1
  }
}

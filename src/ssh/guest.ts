import type { Socket } from 'node:net'
import type { Connection, ServerChannel, Session } from 'ssh2'
import type { Actor } from '#core/access/context.ts'
import { onlyOnce } from '#core/only-once.ts'
import type { SshKeys } from '#core/ssh-key/ssh-keys.ts'
import { readAttempt } from './authenticate.ts'
import { readGitCommand } from './git-command.ts'
import { type GitSessionParts, serveGit } from './git-session.ts'
import type { SshLimits } from './ssh-limits.ts'

export interface GuestParts extends GitSessionParts {
  readonly keys: Pick<SshKeys, 'holder' | 'used'>
}

/** How git names the version of its protocol that it would like to speak. */
const PROTOCOL = /^[a-z0-9=:.-]{1,100}$/i

/** One connection, from the first byte to the last. */
export class Guest {
  readonly #socket: Socket
  readonly #parts: GuestParts
  readonly #limits: SshLimits
  /** Until somebody has signed in, and from then on while nothing is done for them. */
  #deadline: NodeJS.Timeout
  #connection: Connection | undefined
  #actor: Actor | undefined
  #attempts = 0
  #hasAsked = false
  #rekeys = 0
  #commands = 0
  #isEnding = false

  constructor(socket: Socket, parts: GuestParts, limits: SshLimits) {
    this.#socket = socket
    this.#parts = parts
    this.#limits = limits
    this.#deadline = setTimeout(() => this.cut(), limits.signInMs)
    socket.on('error', () => this.cut())
    socket.once('close', () => clearTimeout(this.#deadline))
  }

  /** The other end has said that it speaks SSH. */
  speak(connection: Connection): void {
    this.#connection = connection
    connection.on('error', () => this.cut())
    connection.on('rekey', () => this.#rekeyed())
    this.#socket.on('data', this.#onBytes)
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
          if (attempt.isProven) this.#actor = attempt.actor
          ctx.accept()
        },
        (error: unknown) => {
          this.#parts.log.error({ err: error }, 'a key could not be looked up')
          this.cut()
        },
      )
    })
    connection.on('ready', () => {
      this.#socket.off('data', this.#onBytes)
      this.#rest()
    })
    connection.on('session', (accept, reject) => {
      if (this.#isEnding || this.#actor === undefined || this.#commands >= this.#limits.maxCommands)
        return reject()
      this.#commands++
      clearTimeout(this.#deadline)
      this.#serve(accept(), this.#actor)
    })
  }

  readonly #onBytes = (): void => {
    if (this.#socket.bytesRead > this.#limits.signInBytes) this.cut()
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
    if (this.#isEnding) {
      this.#end()
      return
    }
    this.#deadline = setTimeout(() => this.#end(), this.#limits.idleMs)
  }

  #serve(session: Session, actor: Actor): void {
    let protocol: string | undefined
    const over = onlyOnce(() => {
      if (--this.#commands === 0) this.#rest()
    })
    // A session of which nothing is asked counts like one that is idle.
    const unused = setTimeout(() => this.cut(), this.#limits.idleMs)
    const begin = (channel: ServerChannel): ServerChannel => {
      clearTimeout(unused)
      channel.on('error', () => channel.close())
      return channel
    }
    session.on('close', () => {
      clearTimeout(unused)
      over()
    })
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
      serveGit(this.#parts, actor, wanted, channel, protocol).then((code) => {
        channel.exit(code)
        channel.end()
      })
    })
  }
}

function finish(channel: ServerChannel, words: string): void {
  channel.stderr.write(`${words}\n`)
  channel.exit(1)
  channel.end()
}

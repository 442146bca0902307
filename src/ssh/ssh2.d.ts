/** What is used of the package, which brings no types of its own. */
declare module 'ssh2' {
  import type { EventEmitter } from 'node:events'
  import type { Socket } from 'node:net'
  import type { Duplex, Writable } from 'node:stream'

  interface ServerConfig {
    readonly hostKeys: readonly string[]
    readonly ident?: string
    readonly keepaliveInterval?: number
    readonly keepaliveCountMax?: number
    readonly algorithms?: Readonly<
      Record<'kex' | 'cipher' | 'hmac' | 'compress' | 'serverHostKey', readonly string[]>
    >
  }

  interface ServerChannel extends Duplex {
    readonly stderr: Writable
    /** How much the other end may still send; less than nothing where it sent more than that. */
    readonly incoming: { readonly window: number }
    /** What the client says of what it is sent. */
    readonly outgoing: { readonly packetSize: number }
    exit(code: number): void
    close(): void
  }

  interface AuthContext {
    readonly username: string
    readonly method: string
    /** The key that is shown, of the method `publickey`. */
    readonly key?: { readonly algo: string; readonly data: Buffer }
    readonly hashAlgo?: string
    /** Absent where the client only asks whether the key would do. */
    readonly signature?: Buffer
    readonly blob?: Buffer
    accept(): void
    reject(methodsLeft?: readonly string[]): void
  }

  type Answer = ((...args: readonly unknown[]) => void) | undefined

  interface Session extends EventEmitter {
    on(
      event: 'env',
      listener: (accept: Answer, reject: Answer, info: { key: string; val: string }) => void,
    ): this
    on(event: 'shell', listener: (accept: () => ServerChannel | undefined, reject: Answer) => void): this
    on(event: 'close', listener: () => void): this
    on(
      event: 'exec',
      listener: (accept: () => ServerChannel | undefined, reject: Answer, info: { command: string }) => void,
    ): this
  }

  interface Connection extends EventEmitter {
    on(event: 'authentication', listener: (ctx: AuthContext) => void): this
    on(event: 'ready' | 'rekey' | 'handshake' | 'close' | 'end', listener: () => void): this
    on(event: 'error', listener: (error: Error) => void): this
    on(event: 'session', listener: (accept: () => Session, reject: () => void) => void): this
    end(): this
  }

  class Server {
    constructor(config: ServerConfig)
    on(
      event: 'connection',
      listener: (client: Connection, info: { readonly ip: string; readonly port: number }) => void,
    ): this
    on(event: 'error', listener: (error: Error) => void): this
    injectSocket(socket: Socket): void
  }

  interface ParsedKey {
    readonly type: string
    verify(data: Buffer, signature: Buffer, algo?: string): boolean | Error
  }

  const ssh2: {
    readonly Server: typeof Server
    readonly utils: {
      parseKey(key: string | Buffer): ParsedKey | Error
      generateKeyPairSync(kind: 'ed25519'): { readonly private: string; readonly public: string }
    }
  }
  export default ssh2
  export type { AuthContext, Connection, Server, ServerChannel, Session }
}

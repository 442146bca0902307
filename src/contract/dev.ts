/** What `aloft dev` and the program that serves the folder say to each other. */

export interface DevOptions {
  /** Absolute. */
  readonly folder: string
  /** Absolute; the top of the workspace that the folder is a package of. */
  readonly workspace?: string
  /** A folder for what is made on the way; whoever starts the program removes it afterwards. */
  readonly work: string
  readonly port: number
  /** Whether the next free port will do where this one is taken. */
  readonly otherPort: boolean
  /** A name or an address to listen at. */
  readonly host: string
  /** Over what the `.env` files say. */
  readonly env: Readonly<Record<string, string>>
  /** Whether folders without an index are listed, as a project may have it. */
  readonly directoryListing: boolean
  /** Whether commands may write in colours. */
  readonly colors: boolean
}

export type DevOrder =
  | { readonly type: 'start'; readonly options: DevOptions }
  /** Ends everything; the program then exits. */
  | { readonly type: 'stop' }

export type DevEvent =
  | DevReady
  /** Something that the person should know once. */
  | { readonly type: 'note'; readonly text: string }
  | DevRequest
  /** A line that a function or the development server wrote. */
  | { readonly type: 'log'; readonly from: string; readonly text: string }
  /** A function was compiled anew. */
  | { readonly type: 'built'; readonly file: string; readonly ms: number }
  /** The configuration, a function or the platform itself has a fault; what it is about, if it is one thing. */
  | { readonly type: 'fault'; readonly about?: string; readonly text: string }
  | { readonly type: 'debug'; readonly text: string }
  /** A group of processes that ends with the program, in whatever way that ends; the one before has ended. */
  | { readonly type: 'group'; readonly pid: number }
  /** It cannot be served; the program then exits. */
  | { readonly type: 'failed'; readonly code: DevFailure; readonly text: string; readonly hint?: string }

export type DevFailure = 'port_taken' | 'bad_folder' | 'command_failed' | 'failed'

export interface DevReady {
  readonly type: 'ready'
  readonly url: string
  /** More addresses, where it listens for other machines. */
  readonly others: readonly string[]
  readonly port: number
  readonly ms: number
  readonly framework?: string
  /** The development server that runs behind it. */
  readonly command?: string
  readonly functions: number
  /** The `.env` files that were read. */
  readonly envFiles: readonly string[]
}

export interface DevRequest {
  readonly type: 'request'
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
}

/** Set for commands that it starts, so that one which starts it again is found out. */
export const DEV_MARK = 'ALOFT_DEV'

import { type InheritedSockets, passSockets } from '../socket/listen-sockets.ts'

/**
 * The number of the agreement between the supervisor and its processes: what these are given, and what both say to each
 * other. A change that one side would not understand takes the next number.
 */
const AGREEMENT = 2

/** What the supervisor gives a process on its way. */
export interface ChildOptions {
  /** It brings the data up to date first. */
  readonly prepares?: boolean
  /** For a serving process: the sockets to listen on. */
  readonly sockets?: InheritedSockets
  /**
   * Which working process it is, or which one it asks for functions: while one takes the place of another there are two.
   * Absent where the supervisor has none.
   */
  readonly seat?: number
  /** Another one of its kind is still there. What is its own must be left alone, and nobody waits for this one. */
  readonly takesOver?: boolean
  /** For a working process: serving processes hand requests of the API on, so it is ready for them before it says that it is. */
  readonly answersApi?: boolean
}

interface SentOptions extends ChildOptions {
  readonly agreement: number
}

export const toArguments = ({ sockets, ...rest }: ChildOptions): readonly string[] => [
  '--given',
  JSON.stringify({
    ...rest,
    agreement: AGREEMENT,
    ...(sockets ? { sockets: { ...sockets, numbers: passSockets(sockets.numbers).places } } : {}),
  } satisfies SentOptions),
]

export const descriptorsOf = ({ sockets }: ChildOptions): readonly number[] =>
  sockets ? passSockets(sockets.numbers).descriptors : []

/** Undefined where the supervisor is of a version that this one does not understand. */
export function readChildOptions(text: string | undefined): ChildOptions | undefined {
  const { agreement, ...given } = JSON.parse(text ?? '{}') as Partial<SentOptions>
  return agreement === AGREEMENT ? given : undefined
}

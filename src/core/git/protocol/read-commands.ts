import { AloftError } from '#contract/errors.ts'
import type { RefUpdate } from '../push/pushes.ts'
import { MalformedPacket, PacketReader } from './pkt-line.ts'
import { isRefName, isShortRef } from './ref-names.ts'

export interface Commands {
  readonly updates: readonly RefUpdate[]
  /** Why nothing of it is taken, where that is so. */
  readonly refusal: string | undefined
  readonly capabilities: ReadonlySet<string>
  readonly pushOptions: readonly string[]
  /** All of the request, what was read included. */
  readonly body: AsyncIterable<Uint8Array>
}

const MAX_HEAD = 4 * 1024 * 1024
const MAX_UPDATES = 1000
const ZERO = /^0+$/
const COMMAND = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (\S.*)$/

const invalid = (why: string) => new AloftError('bad_request', why)

/** What a push is about to change, which comes before its content. */
export async function readCommands(source: AsyncIterable<Uint8Array>): Promise<Commands> {
  const iterator = source[Symbol.asyncIterator]()
  const reader = new PacketReader()
  const held: Buffer[] = []
  let size = 0
  const nextPacket = async (): Promise<Buffer | undefined | 'end'> => {
    for (;;) {
      const packet = reader.next()
      if (packet !== 'wait') return packet
      const { done, value } = await iterator.next()
      if (done) return 'end'
      held.push(Buffer.from(value))
      size += value.length
      if (size > MAX_HEAD) throw invalid('The push changes too many refs at once.')
      reader.add(value)
    }
  }
  const updates: RefUpdate[] = []
  let refusal: string | undefined
  let capabilities: ReadonlySet<string> = new Set()
  const pushOptions: string[] = []
  try {
    for (
      let packet = await nextPacket();
      packet !== undefined && packet !== 'end';
      packet = await nextPacket()
    ) {
      const [line = '', said] = packet.toString('utf8').replace(/\n$/, '').split('\0')
      if (said !== undefined) capabilities = new Set(said.split(' '))
      if (line.startsWith('shallow ')) continue
      if (line.startsWith('push-cert'))
        throw invalid('Signed pushes are not supported. Push without `--signed`.')
      const update = readUpdate(line)
      refusal ??= refusalOf(update)
      updates.push(update)
      if (updates.length > MAX_UPDATES) throw invalid(`A push can change at most ${MAX_UPDATES} refs.`)
    }
    if (capabilities.has('push-options'))
      for (
        let packet = await nextPacket();
        packet !== undefined && packet !== 'end';
        packet = await nextPacket()
      )
        pushOptions.push(packet.toString('utf8').replace(/\n$/, ''))
  } catch (error) {
    if (error instanceof MalformedPacket) throw invalid(error.message)
    throw error
  }
  async function* body(): AsyncGenerator<Uint8Array, void> {
    yield* held
    for (;;) {
      const { done, value } = await iterator.next()
      if (done) return
      yield value
    }
  }
  return { updates, refusal, capabilities, pushOptions, body: body() }
}

function readUpdate(line: string): RefUpdate {
  const [, before, after, ref] = COMMAND.exec(line) ?? []
  if (before === undefined || after === undefined || ref === undefined)
    throw invalid('The request does not follow the Git protocol.')
  return { ref, before: ZERO.test(before) ? null : before, after: ZERO.test(after) ? null : after }
}

/** What is there already can be deleted, whatever it is called. */
function refusalOf({ ref, after }: RefUpdate): string | undefined {
  const shown = ref.slice(0, 100)
  if (!isRefName(ref)) return `${shown}: only branches (refs/heads/…) and tags (refs/tags/…) are accepted`
  if (after !== null && !isShortRef(ref))
    return `${shown}: its name has too many parts between slashes, or one that is too long`
  return undefined
}

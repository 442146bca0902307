import { kindOf } from '../ipc/channel.ts'

interface BusMessage {
  readonly kind: 'bus'
  readonly topic: string
  readonly message: string
}

export const busMessage = (topic: string, message: string): BusMessage => ({ kind: 'bus', topic, message })

export const isBusMessage = (value: unknown): value is BusMessage => {
  if (typeof value !== 'object' || value === null) return false
  const { kind, topic, message } = value as Partial<BusMessage>
  return kind === 'bus' && typeof topic === 'string' && typeof message === 'string'
}

/** From the supervisor: another process has ended, and may have said something that nobody heard. */
export const GAP = { kind: 'bus.gap' } as const

export const isGap = (value: unknown): boolean => kindOf(value) === GAP.kind

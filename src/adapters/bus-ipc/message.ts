export interface BusMessage {
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

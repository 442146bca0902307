/**
 * One end of a line between two processes. Messages arrive in order, as structured clones or JSON would
 * make them; `send` may throw when the other end is gone. Others may use the same line for messages of
 * their own, so receivers ignore what they do not know.
 */
export interface Channel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** What a message is about; undefined where it does not say. */
export const kindOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null ? (message as { kind?: unknown }).kind : undefined

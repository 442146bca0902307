/**
 * Tells every process of the installation, the sender included, that something changed.
 * Messages may be lost while a process restarts: they wake and invalidate, they never carry state.
 */
export interface Bus {
  publish(topic: string, message: string): void
  subscribe(topic: string, listener: (message: string) => void): () => void
  close(): Promise<void>
}

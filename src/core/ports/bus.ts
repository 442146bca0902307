/**
 * Tells every process of the installation, the sender included, that something changed.
 * Messages may be lost while a process restarts: they wake and invalidate, they never carry state.
 */
export interface Bus {
  publish(topic: string, message: string): void
  subscribe(topic: string, listener: (message: string) => void): () => void
  /**
   * Called after a time in which messages of others may have been lost, by buses that can tell. What is kept because
   * changes are told has to be looked at again.
   */
  onGap?(listener: () => void): () => void
  /** Resolves once messages of others arrive, by buses that do not hear them from the beginning. */
  untilHearing?(): Promise<void>
  close(): Promise<void>
}

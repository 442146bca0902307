/**
 * What was last read from a database elsewhere, kept on the disk of this machine for the time that it is away. It is a
 * copy and disposable: what is missing or cannot be read counts as never read. Secrets come to it sealed.
 */
export interface LastKnown {
  /** Remembers it a little later, and makes nobody wait; undefined: there is none any more. */
  put(kind: string, key: string, value: unknown): void
  get(kind: string, key: string): unknown
  /** Writes down what is still to be remembered. */
  close(): void
}

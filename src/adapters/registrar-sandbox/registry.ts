/** A name that the sandbox has sold or moved here. */
export interface RegistryEntry {
  readonly name: string
  /** Of the order. */
  readonly key: string
  readonly kind: 'sold' | 'moved'
  /** When it was ordered. */
  readonly at: number
}

export interface Registry {
  find(name: string): Promise<RegistryEntry | undefined>
  /** Enters a name unless it is there. Answers the entry that is there then. */
  enter(entry: RegistryEntry): Promise<RegistryEntry>
}

/** One thing of the account, and what becomes of it here. */
export interface Item {
  readonly kind: string
  readonly name: string
  /** `new`: it will come along. `there`: it is here already. `cannot`: it stays behind. */
  readonly state: 'new' | 'there' | 'cannot'
  readonly why?: string
  readonly make?: Make
}

/** Brings it; `tell` hears how far that is, where it can take long. */
type Make = (tell: (progress: string) => void) => Promise<unknown>

export const alreadyThere = (kind: string, name: string): Item => ({ kind, name, state: 'there' })
export const cannot = (kind: string, name: string, why: string): Item => ({
  kind,
  name,
  state: 'cannot',
  why,
})
export const fresh = (kind: string, name: string, make: Make): Item => ({
  kind,
  name,
  state: 'new',
  make,
})

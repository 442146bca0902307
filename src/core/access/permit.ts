/** Lets somebody go on with what they were let in for, for as long as they would be let in again. */
interface Permit {
  /**
   * Whether it holds. Once it does not, it never will again. Looked up now and then, and after a change that may have ended
   * it. Rejects as unavailable when there is no telling.
   */
  holds(): Promise<boolean>
  /** Nobody asks any more. */
  end(): void
}

/** `onDoubt` is called when it is worth asking at once. */
export type OpenPermit = (onDoubt: () => void) => Permit

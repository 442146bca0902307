const KEY = 'aloft-account'

/** Where somebody was last, to begin there the next time. */
export const lastAccount = {
  read: (): string | null => localStorage.getItem(KEY),
  write: (slug: string): void => localStorage.setItem(KEY, slug),
}

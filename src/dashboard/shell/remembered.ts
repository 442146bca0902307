import { useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'

const { tell, subscribe } = createListeners((changed) => {
  // Another tab may have chosen otherwise.
  addEventListener('storage', changed)
  return () => removeEventListener('storage', changed)
})

/** A choice that this browser remembers; empty until one was made. */
export function useRemembered(key: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => localStorage.getItem(key) ?? '')
  const set = (next: string) => {
    if (next === '') localStorage.removeItem(key)
    else localStorage.setItem(key, next)
    tell()
  }
  return [value, set]
}

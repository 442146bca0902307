import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
const subscribe = (tell: () => void) => {
  listeners.add(tell)
  // Another tab may have chosen otherwise.
  addEventListener('storage', tell)
  return () => {
    listeners.delete(tell)
    removeEventListener('storage', tell)
  }
}

/** A choice that this browser remembers; empty until one was made. */
export function useRemembered(key: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => localStorage.getItem(key) ?? '')
  const set = (next: string) => {
    if (next === '') localStorage.removeItem(key)
    else localStorage.setItem(key, next)
    for (const tell of listeners) tell()
  }
  return [value, set]
}

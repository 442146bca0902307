import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'aloft-theme'
const listeners = new Set<() => void>()
const readTheme = (): Theme => (document.documentElement.dataset.theme as Theme | undefined) ?? 'system'

export function setTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(KEY, theme)
    document.documentElement.dataset.theme = theme
  }
  for (const tell of listeners) tell()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((tell) => {
    listeners.add(tell)
    return () => listeners.delete(tell)
  }, readTheme)

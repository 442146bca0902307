import { useSyncExternalStore } from 'react'
import { createListeners } from '../listeners.ts'

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'aloft-theme'
const { tell, subscribe } = createListeners()
const readTheme = (): Theme => (document.documentElement.dataset.theme as Theme | undefined) ?? 'system'

export function setTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(KEY)
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem(KEY, theme)
    document.documentElement.dataset.theme = theme
  }
  tell()
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme)

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

/** A word of the address after `?`, so that what a page shows can be linked to; empty means that it is not there. */
export function useSearchText(name: string, otherwise = ''): [string, (value: string) => void] {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false })
  const navigate = useNavigate()
  const set = useCallback(
    (value: string) =>
      void navigate({
        to: '.',
        search: (before: Readonly<Record<string, string | undefined>>) => ({
          ...before,
          [name]: value === '' || value === otherwise ? undefined : value,
        }),
        replace: true,
      }),
    [navigate, name, otherwise],
  )
  return [search[name] ?? otherwise, set]
}

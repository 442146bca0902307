import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Change, followChanges } from '#contract/api/change.ts'
import { pathOf } from '#contract/endpoint.ts'
import type { Account } from './account.tsx'
import { refresh } from './query.ts'

/** Listens to what changes in an account for as long as its pages are open, and has them ask again. */
export function useChanges(account: Account): void {
  const queries = useQueryClient()
  const { id, kind } = account
  useEffect(() => {
    const stream = new EventSource(pathOf(followChanges) + (kind === 'team' ? `?teamId=${id}` : ''))
    // What happened before anybody listened was not told, nor what happens in a break: all is asked for again.
    stream.addEventListener('hello', () => void queries.invalidateQueries({ queryKey: [id] }))
    stream.addEventListener('change', ({ data }) => {
      const change = JSON.parse(data) as Change
      void refresh(queries, id, [change.kind])
      if (change.kind === 'team' || change.kind === 'user')
        void queries.invalidateQueries({ queryKey: ['accounts'] })
    })
    return () => stream.close()
  }, [queries, id, kind])
}

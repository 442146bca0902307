import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Change, followChanges } from '#contract/api/change.ts'
import { pathOf } from '#contract/endpoint.ts'
import type { Account } from './account.tsx'
import { connection, isReachable, pauseBefore } from './connection.ts'
import { refresh } from './query.ts'

/** Listens to what changes in an account for as long as its pages are open, and has them ask again. */
export function useChanges(account: Account): void {
  const queries = useQueryClient()
  const { id, kind } = account
  useEffect(() => {
    const address = pathOf(followChanges) + (kind === 'team' ? `?teamId=${id}` : '')
    let stream: EventSource
    let failures = 0
    let isOver = false
    const open = () => {
      stream = new EventSource(address)
      // What happened before anybody listened was not told, nor what happens in a break: all is asked for again.
      stream.addEventListener('hello', () => {
        failures = 0
        connection.regained()
        void queries.invalidateQueries({ queryKey: [id] })
      })
      stream.addEventListener('change', ({ data }) => {
        const change = JSON.parse(data) as Change
        void refresh(queries, id, [change.kind])
        if (change.kind === 'team' || change.kind === 'user')
          void queries.invalidateQueries({ queryKey: ['accounts'] })
      })
      stream.addEventListener('error', () => void tryAgain(stream.readyState))
    }
    // Browsers connect again by themselves after a break, but not after an answer that is none.
    const tryAgain = async (state: number) => {
      const isAway = !(await isReachable())
      if (isOver) return
      if (isAway) connection.lost()
      if (state !== EventSource.CLOSED) return
      await pauseBefore(failures++)
      if (!isOver) open()
    }
    const offline = () => connection.lost()
    // A stream that outlasted the break says nothing of its end.
    const online = async () => {
      if ((await isReachable()) && !isOver) connection.regained()
    }
    addEventListener('offline', offline)
    addEventListener('online', online)
    open()
    return () => {
      isOver = true
      removeEventListener('offline', offline)
      removeEventListener('online', online)
      stream.close()
    }
  }, [queries, id, kind])
}

import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Change, followChanges } from '#contract/api/change.ts'
import { pathOf } from '#contract/endpoint.ts'
import type { Account } from './account.tsx'
import { connection, isReachable, pauseBefore } from './connection.ts'
import { refresh } from './query.ts'

/** A tab that is looked at again sooner has missed nothing. */
const HIDDEN_MS = 2000

/**
 * Listens to what changes in an account for as long as its pages are open and seen, and has them ask again. Without TLS a browser
 * has six connections to a server for all of its tabs, and a stream takes one: tabs that nobody sees would keep the others
 * from loading.
 */
export function useChanges(account: Account): void {
  const queries = useQueryClient()
  const { id, kind } = account
  useEffect(() => {
    const address = pathOf(followChanges) + (kind === 'team' ? `?teamId=${id}` : '')
    let stream: EventSource | undefined
    let leaving: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    let isOver = false
    const close = () => {
      stream?.close()
      stream = undefined
    }
    const open = () => {
      if (isOver || document.hidden || stream !== undefined) return
      const opened = new EventSource(address)
      stream = opened
      // What happened before anybody listened was not told, nor what happens in a break: all is asked for again.
      opened.addEventListener('hello', () => {
        failures = 0
        connection.regained()
        void queries.invalidateQueries({ queryKey: [id] })
      })
      opened.addEventListener('change', ({ data }) => {
        const change = JSON.parse(data) as Change
        void refresh(queries, id, [change.kind])
        if (change.kind === 'team' || change.kind === 'user')
          void queries.invalidateQueries({ queryKey: ['accounts'] })
      })
      opened.addEventListener('error', () => void tryAgain(opened.readyState === EventSource.CLOSED))
    }
    // Browsers connect again by themselves after a break, but not after an answer that is none.
    const tryAgain = async (isClosed: boolean) => {
      const isAway = !(await isReachable())
      if (isOver) return
      if (isAway) connection.lost()
      if (!isClosed) return
      await pauseBefore(failures++)
      close()
      open()
    }
    const look = () => {
      clearTimeout(leaving)
      if (document.hidden) leaving = setTimeout(close, HIDDEN_MS)
      else open()
    }
    const offline = () => connection.lost()
    // A stream that outlasted the break says nothing of its end.
    const online = async () => {
      if ((await isReachable()) && !isOver) connection.regained()
    }
    addEventListener('offline', offline)
    addEventListener('online', online)
    document.addEventListener('visibilitychange', look)
    open()
    return () => {
      isOver = true
      clearTimeout(leaving)
      removeEventListener('offline', offline)
      removeEventListener('online', online)
      document.removeEventListener('visibilitychange', look)
      close()
    }
  }, [queries, id, kind])
}

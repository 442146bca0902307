import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { followProjectLog, type ProjectLogFilter, readProjectLog } from '#client/follow/project-log.ts'
import type { ProjectLogEntry } from '#contract/api/project-log.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'

const PAGE = 100
/** As many new entries as are held while following; older ones can be asked for again. */
const MAX_NEW = 2000
/** Many may come at once; the page is told of them together. */
const TOGETHER_MS = 100

/** A project's log page by page, the newest first. What is shown stays until the next is there. */
export function useLogPages(projectId: string, filter: ProjectLogFilter) {
  const { id, client } = useAccount()
  return useInfiniteQuery({
    queryKey: [id, 'log', projectId, filter],
    queryFn: ({ signal, pageParam }) =>
      readProjectLog(
        client,
        projectId,
        { ...filter, limit: PAGE, ...(pageParam !== undefined && { until: pageParam }) },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next ?? undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime: 5000,
  })
}

interface Followed {
  /** The newest first. */
  readonly entries: readonly ProjectLogEntry[]
  readonly isConnected: boolean
  readonly problem?: string | undefined
}

const NOTHING: Followed = { entries: [], isConnected: false }

/** What comes from now on, for as long as it is switched on. */
export function useFollow(projectId: string, filter: ProjectLogFilter, isOn: boolean): Followed {
  const { client } = useAccount()
  const [state, setState] = useState(NOTHING)
  // The same words are the same filter, whatever object they are in.
  const words = JSON.stringify(filter)
  const wanted = useMemo(() => JSON.parse(words) as ProjectLogFilter, [words])
  useEffect(() => {
    setState(NOTHING)
    if (!isOn) return
    const stop = new AbortController()
    let waiting: ProjectLogEntry[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = () => {
      timer = undefined
      const more = waiting.reverse()
      waiting = []
      setState((before) => ({ ...before, entries: [...more, ...before.entries].slice(0, MAX_NEW) }))
    }
    const follow = async () => {
      const entries = followProjectLog(
        client,
        projectId,
        { ...wanted, limit: PAGE },
        {
          signal: stop.signal,
          onConnection: (isConnected) => setState((before) => ({ ...before, isConnected })),
        },
      )
      try {
        for await (const entry of entries) {
          waiting.push(entry)
          timer ??= setTimeout(show, TOGETHER_MS)
        }
      } catch (error) {
        if (!stop.signal.aborted)
          setState((before) => ({ ...before, isConnected: false, problem: explain(error) }))
      }
    }
    void follow()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [client, projectId, wanted, isOn])
  return state
}

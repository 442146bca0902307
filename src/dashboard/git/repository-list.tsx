import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { listRepositories } from '#contract/api/git-connection.ts'
import { MINUTE } from '#contract/time.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/control/button.tsx'
import { TextField } from '../ui/control/field.tsx'
import { Spinner } from '../ui/feedback/spinner.tsx'
import { Icon } from '../ui/icon.tsx'
import { Time } from '../ui/text/time.tsx'

export interface ChosenRepository {
  readonly connectionId: string
  readonly repository: string
}

const PAUSE_MS = 250

function useRepositories(id: string, search: string) {
  const { id: accountId, client } = useAccount()
  return useInfiniteQuery({
    queryKey: [accountId, 'git-connection', listRepositories.on, id, search],
    queryFn: ({ signal, pageParam }) =>
      client.call(listRepositories, {
        params: { id },
        query: { page: pageParam, ...(search !== '' && { search }) },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    staleTime: MINUTE,
    retry: false,
  })
}

/**
 * The repositories of a connected host, to be searched. Down leads from the search into the list, up and down go through
 * it, and Enter in the search takes the first.
 */
export function RepositoryList({
  connectionId,
  onChosen,
}: {
  connectionId: string
  onChosen: (chosen: ChosenRepository) => void
}) {
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const { data, error, hasNextPage, fetchNextPage, isFetching, isFetchingNextPage } = useRepositories(
    connectionId,
    search,
  )
  const rows = data?.pages.flatMap(({ repositories }) => repositories) ?? []
  const choose = (repository: string) => onChosen({ connectionId, repository })

  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const stops = [...(box.current?.querySelectorAll<HTMLElement>('input, li button') ?? [])]
    stops[stops.indexOf(document.activeElement as HTMLElement) + step]?.focus()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys are heard from what is in it, which can be focused.
    <div ref={box} onKeyDown={move} className="space-y-3">
      <TextField
        label="Search repositories"
        hideLabel
        type="search"
        placeholder="Search repositories…"
        value={typed}
        onChange={setTyped}
        maxLength={200}
        literal
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          // Only what the list shows for this very text.
          if (typed.trim() === search && !isFetching && rows[0] !== undefined) choose(rows[0].name)
        }}
      />
      {error !== null ? (
        <p role="alert" className="text-sm break-words text-bad">
          {explain(error)}
        </p>
      ) : data === undefined ? (
        <p role="status" className="flex items-center gap-2 text-sm text-soft">
          <Spinner /> Loading repositories…
        </p>
      ) : rows.length === 0 ? (
        <p role="status" className="text-sm text-soft">
          {search === ''
            ? 'The token shows no repositories. Check which ones it may read.'
            : `No repository has “${search}” in its name.`}
          {hasNextPage && ' There are more to look through.'}
        </p>
      ) : (
        <ul
          aria-label="Repositories"
          aria-busy={isFetching}
          className="max-h-96 divide-y divide-line overflow-y-auto rounded-lg border border-line"
        >
          {rows.map(({ id, name, private: isPrivate, updatedAt }) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => choose(name)}
                className="flex min-h-11 w-full items-center gap-3 px-3 py-2 text-left text-sm hover:bg-hover"
              >
                <Icon name="alias" className="size-4 text-soft" />
                <span className="min-w-0 flex-1 font-medium break-all">{name}</span>
                {isPrivate && <Badge>Private</Badge>}
                {updatedAt !== null && (
                  <span className="text-soft max-sm:hidden">
                    <Time at={updatedAt} />
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && error === null && (
        <Button size="small" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  )
}
